/**
 * The thread that searches.
 */

import { workerData } from 'node:worker_threads';
import type { SearcherCall, SearcherOptions } from './protocol.js';
import type { CallTurn } from '../../util/workers/call-order.js';
import { CallOrder } from '../../util/workers/call-order.js';
import { SearchServer } from './search-server.js';
import { serveCalls } from '../../util/workers/worker-server.js';

const searcher = new SearchServer(workerData as SearcherOptions);

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
