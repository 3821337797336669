/**
 * Waiting for what comes about by itself, without sleeping longer than needed.
 */

import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is yes; throws when that takes too long, which is so long that only a busy machine comes near it. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {

    const deadline = Date.now() + timeoutMs;
    while (!await condition()) {
        if (Date.now() > deadline) {
            throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`);
        }

        await sleep(2);
    }
}
