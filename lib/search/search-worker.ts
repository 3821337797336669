/**
 * The thread that searches.
 */

import { workerData } from 'node:worker_threads';
import type { SearcherCall, SearcherOptions } from './messages.js';
import type { CallTurn } from './call-order.js';
import { CallOrder } from './call-order.js';
import { Searcher } from './searcher.js';
import { serveCalls } from './serve-calls.js';

const searcher = new Searcher(workerData as SearcherOptions);

serveCalls<SearcherCall>((call, waiting) => searcher.handle(call, waiting), new CallOrder(turnOf));

/** A search sees all changes that were told before; further hits of one that was answered take next to nothing. */
function turnOf(call: SearcherCall): CallTurn {

    switch (call.kind) {
        case 'search':
            return { of: call.caller };
        case 'more':
        case 'forget':
            return 'first';
        default:
            return 'in order';
    }
}
