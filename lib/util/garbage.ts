/** Garbage collection of a process that has become idle. */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time between looks, in milliseconds. V8 returns memory if little was allocated for five seconds before a collection. */
const LOOK_MS = 6000;

/** Maximum share of that time in which an idle process is active. */
const IDLE_SHARE = 0.02;

/**
 * The second collection returns the memory that the first one has emptied; of the new space only where V8 has found little allocated before it, so
 * that a start may need more.
 */
const MIN_COLLECTIONS = 2;
const MAX_COLLECTIONS = 6;

/** Size of a new space that V8 has shrunk, in bytes, at most. It is 16 MiB after a start. */
const SMALL_NEW_SPACE = 2 * 1024 * 1024;

/**
 * Returns the memory of a start to the system as soon as the process is idle: V8 collects garbage when memory is allocated, so an idle process
 * would keep it. Collects in a turn of tens of milliseconds, while there are no requests. Does not keep the process alive.
 *
 * @param lookMs time between looks
 */
export function collectWhenIdle(lookMs = LOOK_MS): void {

    let count = 0;
    let before = performance.eventLoopUtilization();
    const timer = setInterval(() => {

        const { utilization } = performance.eventLoopUtilization(before);
        if (utilization < IDLE_SHARE) {
            collectGarbage();
            count += 1;
        }

        if (count === MAX_COLLECTIONS || count >= MIN_COLLECTIONS && newSpaceBytes() <= SMALL_NEW_SPACE) {
            clearInterval(timer);
        }

        before = performance.eventLoopUtilization();
    }, lookMs).unref();
}

/** Collects all garbage at once. */
export function collectGarbage(): void {

    // Node offers the function with this flag alone, which a new context reads.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    collect();
}

/** Size of the space of young objects, in bytes. */
function newSpaceBytes(): number {

    return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
