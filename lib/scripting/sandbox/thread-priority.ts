/**
 * Lower thread priority for scripts than for the rest of the service.
 */

import { setPriority } from 'node:os';

/** Niceness. A script in an endless loop has a tenth of the weight of the main thread; without competition it runs at full speed. */
const SCRIPT_PRIORITY = 10;

/**
 * Lowers the priority of the calling thread on Linux; on other systems this would affect the whole process. Must be called
 * after the engine is loaded, because threads that Node.js starts for files inherit the priority.
 */
export function lowerOwnPriority(): void {

    if (process.platform !== 'linux') {
        return;
    }

    try {
        setPriority(0, SCRIPT_PRIORITY);
    }
    catch {
        // May be forbidden by a sandbox around the service; scripts run all the same.
    }
}
