/**
 * The thread that searches.
 */

import { workerData } from 'node:worker_threads';
import type { SearcherCall, SearcherOptions } from './messages.js';
import { Searcher } from './searcher.js';
import { serveCalls } from './serve-calls.js';

const searcher = new Searcher(workerData as SearcherOptions);

serveCalls<SearcherCall>((call, waiting) => searcher.handle(call, waiting));
