/**
 * Waiting for what comes about by itself, without sleeping longer than needed.
 */

import { setTimeout as sleep } from 'node:timers/promises';

const LEAST_MS = 2;
const MOST_MS = 100;

/** Asks until the answer is yes; throws when that takes too long, which is so long that only a busy machine comes near it. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {

    const deadline = Date.now() + timeoutMs;
    for (let asked = performance.now(); !await condition(); asked = performance.now()) {
        if (Date.now() > deadline) {
            throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`);
        }

        // Asking takes at most half of the time: the rest is for those who are waited for.
        await sleep(Math.min(MOST_MS, Math.max(LEAST_MS, performance.now() - asked)));
    }
}
