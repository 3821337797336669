/**
 * Limits the objects of one request for which type code runs at a time. Scripts of a caller wait for each other, and only for a limited time:
 * of many objects at once, the last ones would exceed it where the code is slow.
 */

import { internal } from '../errors/errors.js';
import type { Lifecycle, ObjectHook } from '../objects/hooks/lifecycle.js';
import { Semaphore, type Release } from '../util/concurrency/semaphore.js';

/** Objects whose code runs at a time while it may be slow: with one worker for the caller, a script waits no longer than another one takes. */
const SLOW_WIDTH = 2;

/** The same while it is quick: enough for changes of several objects to be committed together. */
const QUICK_WIDTH = 16;

/** Milliseconds for an object from which code is slow. */
const SLOW_MS = 500;

/** Number of objects after which code is quick, each of which has taken less. */
const QUICK_TURNS = 16;

/** Hooks of a write. */
const WRITE_HOOKS: readonly ObjectHook[] = [
    'beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate'
];

/** The limit for one request: narrow at first, and again when an object takes long. */
export class CodeGate {

    readonly #all = unlimitedWait(QUICK_WIDTH);
    readonly #slow = unlimitedWait(SLOW_WIDTH);
    /** Number of objects since the last one that has taken long. */
    #quickTurns = 0;

    /** Waits for a turn, in the order of the calls; resolves to the function that ends it, which is idempotent. */
    async enter(): Promise<Release> {

        const leave = await this.#all.acquire('');
        const leaveSlow = this.#quickTurns < QUICK_TURNS ? await this.#slow.acquire('') : null;
        const begun = performance.now();
        let isEnded = false;
        return () => {

            if (!isEnded) {
                isEnded = true;
                this.#quickTurns = performance.now() - begun < SLOW_MS ? this.#quickTurns + 1 : 0;
                leaveSlow?.();
                leave();
            }
        };
    }

    /** Does work in a turn. */
    async run<T>(work: () => Promise<T>): Promise<T> {

        const leave = await this.enter();
        try {
            return await work();
        }
        finally {
            leave();
        }
    }
}

function unlimitedWait(permits: number): Semaphore {

    return new Semaphore({ permits, rejection: () => internal(new Error('a wait without a limit was rejected')) });
}

/** True if code may run when an object of a type is written, or its id is generated. */
export function mayRunCode(lifecycle: Lifecycle, type: string, { needsId }: { readonly needsId: boolean }): boolean {

    return WRITE_HOOKS.some((hook) => lifecycle.has(type, hook)) || needsId && lifecycle.mayGenerateIds(type);
}
