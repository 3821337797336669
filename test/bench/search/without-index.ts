/**
 * Preloaded into a service that is measured without search: its index takes no part in writing and finds nothing. The service
 * itself has no such switch.
 */

import * as Module from '../../../lib/search/runtime/index-supervisor.js';

class NoIndex extends Module.IndexSupervisor {

    override readonly participant = { name: 'search', steps: () => [] };

    override async start(): Promise<void> {
        // There is nothing to open.
    }

    override async stop(): Promise<void> {
        // Nor to close.
    }
}

// Whoever merely loads this file, such as a run of all tests, keeps the index.
if (process.execArgv.includes(__filename)) {
    Object.assign(Module, { IndexSupervisor: NoIndex });
}
