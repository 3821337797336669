/**
 * Entry point of the search thread.
 */

import { MAX_PENDING_SEARCHES, tooManySearches, type SearcherCall, type SearcherOptions } from './protocol.js';
import type { CallOrder } from '../../util/workers/call-queue.js';
import { SearchServer } from './search-server.js';
import { receiveOptions, serveCalls } from '../../util/workers/worker-server.js';

receiveOptions<SearcherOptions>((options) => {

    const searcher = new SearchServer(options);
    const server = serveCalls<SearcherCall>((call, pending) => searcher.handle(call, pending), {
        orderOf, perCaller: { max: MAX_PENDING_SEARCHES, error: tooManySearches }
    });
    searcher.addPort = (port, admission) => server.add(port, admission);
});

/** Returns how a call is scheduled: further hits first, because they are cheap; searches fairly by caller, after all earlier changes. */
function orderOf(call: SearcherCall): CallOrder {

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
