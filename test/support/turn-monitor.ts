/**
 * Preloaded into a measured process: tells over the IPC channel how long the longest turn of its event loop was, in processor
 * time of its main thread. Time that a busy machine gives to others does not count. Linux only.
 */

import { existsSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const TIMES = '/proc/thread-self/schedstat';

/** Why turns cannot be measured here, for the title of tests that are skipped; empty where they can. */
export const withoutTurns = existsSync(TIMES) ? '' : ' (skipped: processor time of a thread is not known here)';

function monitor(): void {

    const file = openSync(TIMES, 'r');
    const bytes = Buffer.alloc(64);
    /** Processor time of this thread, in milliseconds; some milliseconds behind. */
    const used = (): number => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ', 1)[0]) / 1e6;
    let isWatching = false;
    let before = 0;
    let longest = 0;
    const turn = (): void => {

        const now = used();
        longest = Math.max(longest, now - before);
        before = now;
        if (isWatching) {
            setImmediate(turn);
        }
    };

    process.on('message', (message) => {

        if (message === 'turns:watch') {
            [isWatching, before, longest] = [true, used(), 0];
            setImmediate(turn);
        }

        if (message === 'turns:read') {
            isWatching = false;
            process.send?.({ longestTurn: longest });
        }
    });
    process.channel?.unref();
}

if (isMainThread && process.send && require.main !== module && withoutTurns === '' && process.env['TURN_MONITOR'] === 'yes') {
    monitor();
}
