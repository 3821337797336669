/** Promise with a timeout. */

import { setTimeout as sleep } from 'node:timers/promises';

/** Returns true when the promise resolves within the time; false when it does not, or rejects. */
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
