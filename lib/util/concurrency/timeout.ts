/**
 * Waiting for a promise no longer than somebody has patience.
 */

import { setTimeout as sleep } from 'node:timers/promises';

/** True when it resolves within so many milliseconds; false when it does not, or rejects. */
export async function resolvesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {

    const timer = new AbortController();
    try {
        return await Promise.race([promise.then(() => true), sleep(milliseconds, false, { signal: timer.signal, ref: false })]);
    }
    catch {
        return false;
    }
    finally {
        timer.abort();
    }
}
