/**
 * Scripts give way to everything else that the service does.
 */

import { setPriority } from 'node:os';

/** Niceness. A script that loops has a tenth of the weight of the thread that answers requests, and one that is alone no less than all. */
const SCRIPT_PRIORITY = 10;

/**
 * Lowers the priority of the calling thread, where the system knows priorities of threads: Linux. Elsewhere it would be that of the
 * whole process. To be called when the engine is loaded: threads that Node.js starts for files inherit it.
 */
export function lowerOwnPriority(): void {

    if (process.platform !== 'linux') {
        return;
    }

    try {
        setPriority(0, SCRIPT_PRIORITY);
    }
    catch {
        // A sandbox around the service may forbid it; scripts are run all the same.
    }
}
