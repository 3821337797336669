/**
 * Lower thread priority for scripts than for the rest of the service.
 */

import { getPriority, setPriority } from 'node:os';

/**
 * Niceness above that of the service. A script in an endless loop has a tenth of the weight of the main thread; without competition it runs at
 * full speed.
 */
const LOWER_BY = 10;

/** The lowest priority. */
const MAX_NICENESS = 19;

/**
 * Lowers the priority of the calling thread on Linux; on other systems this would affect the whole process. Must be called
 * after the engine is loaded, because threads that Node.js starts for files inherit the priority.
 */
export function lowerOwnPriority(): void {

    if (process.platform !== 'linux') {
        return;
    }

    try {
        setPriority(0, Math.min(MAX_NICENESS, getPriority(0) + LOWER_BY));
    }
    catch {
        // May be forbidden by a sandbox around the service; scripts run all the same.
    }
}
