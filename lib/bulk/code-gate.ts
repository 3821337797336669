/**
 * Limits the objects of one request for which type code runs at a time. Scripts of a caller wait for each other, and only for a limited time:
 * of many objects at once, the last ones would exceed it where the code is slow.
 */

import { internal } from '../errors/errors.js';
import type { Lifecycle, ObjectHook } from '../objects/hooks/lifecycle.js';
import { Semaphore, type Release } from '../util/concurrency/semaphore.js';

/** Maximum number of objects whose code runs at a time: with one worker for the caller, a script waits no longer than another one takes. */
const CODE_WIDTH = 2;

/** Hooks of a write. */
const WRITE_HOOKS: readonly ObjectHook[] = [
    'beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate'
];

/** The limit for one request. */
export class CodeGate {

    readonly #semaphore = new Semaphore({ permits: CODE_WIDTH, rejection: () => internal(new Error('a wait without a limit was rejected')) });

    /** Waits for a turn, in the order of the calls; resolves to the function that ends it. */
    enter(): Promise<Release> {

        return this.#semaphore.acquire('');
    }

    /** Does work in a turn. */
    run<T>(work: () => Promise<T>): Promise<T> {

        return this.#semaphore.run('', work);
    }
}

/** True if code may run when an object of a type is written, or its id is generated. */
export function mayRunCode(lifecycle: Lifecycle, type: string, { needsId }: { readonly needsId: boolean }): boolean {

    return WRITE_HOOKS.some((hook) => lifecycle.has(type, hook)) || needsId && lifecycle.mayGenerateIds(type);
}
