/**
 * Long work in short steps: a generator that yields between them. One caller takes all of them at once, another spreads them over turns of the
 * event loop, so that nobody else waits.
 */

import { EventLoopYielder } from './event-loop-yielder.js';

/** Work in steps, each as short as the kind of work allows, and its result. */
export type Steps<T> = Generator<void, T, undefined>;

/** Time in ms for which steps are taken in one turn of the event loop. */
const TURN_MS = 4;

const YIELDER = new EventLoopYielder();

/** Takes all steps, and returns the result. */
export function atOnce<T>(steps: Steps<T>): T {

    let step = steps.next();
    while (step.done !== true) {
        step = steps.next();
    }

    return step.value;
}

/** Takes the steps in several turns of the event loop, and returns the result. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {

    let turn = performance.now();
    let step = steps.next();
    while (step.done !== true) {
        if (performance.now() - turn > TURN_MS) {
            await YIELDER.yield();
            turn = performance.now();
        }

        step = steps.next();
    }

    return step.value;
}
