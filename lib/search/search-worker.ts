/**
 * The thread that searches.
 */

import type { SearcherCall } from './messages.js';
import { Searcher } from './searcher.js';
import { serveCalls } from './worker-port.js';

const searcher = new Searcher();

serveCalls<SearcherCall>((call) => searcher.handle(call));
