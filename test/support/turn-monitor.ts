/**
 * Preloaded into a measured process: tells over the IPC channel how long the longest turn of its event loop was, in processor
 * time of its main thread, and how much more memory was in use after one of them. Time that a busy machine gives to others does not
 * count. Garbage is collected at the beginning, so that what was left before takes nothing in unseen. Linux only.
 */

import { existsSync, openSync, readSync } from 'node:fs';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const TIMES = '/proc/thread-self/schedstat';

/** Why turns cannot be measured here, for the title of tests that are skipped; empty where they can. */
export const withoutTurns = existsSync(TIMES) ? '' : ' (skipped: processor time of a thread is not known here)';

function monitor(): void {

    const file = openSync(TIMES, 'r');
    const bytes = Buffer.alloc(64);
    /** Processor time of this thread, in milliseconds; some milliseconds behind. */
    const used = (): number => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ', 1)[0]) / 1e6;
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    let isWatching = false;
    let before = 0;
    let longest = 0;
    let [inUse, most] = [0, 0];
    /** Objects and buffers, with those that are garbage by now. */
    const bytesInUse = (): number => {

        const { used_heap_size: objects, external_memory: buffers } = getHeapStatistics();
        return objects + buffers;
    };

    const turn = (): void => {

        const now = used();
        longest = Math.max(longest, now - before);
        before = now;
        most = Math.max(most, bytesInUse());
        if (isWatching) {
            setImmediate(turn);
        }
    };

    process.on('message', (message) => {

        if (message === 'turns:watch') {
            collectGarbage();
            inUse = bytesInUse();
            [isWatching, before, longest, most] = [true, used(), 0, inUse];
            setImmediate(turn);
        }

        if (message === 'turns:read') {
            isWatching = false;
            process.send?.({ longestTurn: longest, grown: most - inUse });
        }
    });
    process.channel?.unref();
}

if (isMainThread && process.send && require.main !== module && withoutTurns === '' && process.env['TURN_MONITOR'] === 'yes') {
    monitor();
}
