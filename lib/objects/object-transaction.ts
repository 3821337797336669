/**
 * Optimistic transaction on one object: serialised per node by a mutex, retried when another node committed first. Correctness
 * rests on the preconditions of the unit, not on the mutex.
 */

import type { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import type { ObjectWriter } from './object-writer.js';
import type { ObjectReader } from './read/object-reader.js';
import type { StoredObject } from '../model/stored-object.js';
import type { TxnIdGenerator } from './txn-id-generator.js';
import type { WriteContext } from '../model/write-context.js';
import type { ObjectChange } from '../model/write-participant.js';
import { conflict, missingObject } from '../errors/errors.js';
import { checkWritable } from './update-request.js';
import { retryOnConflict } from '../util/concurrency/retry-on-conflict.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { ContentPipeline, TypeCatalog } from './content-pipeline.js';
import type { HookParts } from './hooks/write-hooks.js';

/**
 * Timeout in ms of a write, including the wait for its object and retries: limits how long a client waits while scripts hold
 * the object, or other nodes keep committing first.
 */
export const WRITE_TIMEOUT_MS = 10_000;

/** Timeout in ms of a script's wait for another object. Resolves deadlocks between scripts that hold each other's objects. */
const SCRIPT_LOCK_DEADLINE = 2000;

/** Dependencies of the services that write objects. */
export interface WriteParts extends HookParts {
    readonly store: ObjectStore;
    readonly reader: ObjectReader;
    readonly catalog: TypeCatalog;
    readonly pipeline: ContentPipeline;
    readonly writer: ObjectWriter;
    readonly locks: KeyedLocks;
    readonly clock: TxnIdGenerator;
    /** Milliseconds after which a write that others keep overtaking is rejected. */
    readonly timeoutMs: number;
}

/** Changes existing objects. */
export class ObjectTransaction {

    readonly #parts: WriteParts;

    constructor(parts: WriteParts) {

        this.#parts = parts;
    }

    /**
     * Runs work under the mutex of an object on this node.
     *
     * @param work gets the deadline for retries, on the clock of `performance.now()`
     * @throws DoipError 409 if the mutex cannot be acquired in time
     */
    async locked<T>(id: string, { chain }: Pick<WriteContext, 'chain'>, work: (deadline: number) => Promise<T>): Promise<T> {

        const deadline = performance.now() + this.#parts.timeoutMs;

        const lock = chain?.locks.get(id);
        if (lock?.by === 'change') {
            throw conflict(`object ${id} is being changed by the request that runs this script: change the object that the hook is given`);
        }

        return lock ? work(deadline) : this.#parts.locks.run(id, () => work(deadline), chain ? SCRIPT_LOCK_DEADLINE : this.#parts.timeoutMs);
    }

    /**
     * Changes an object.
     *
     * @param compute computes the change from the current object; called again after a lost race
     * @returns the change that was stored, or would have been stored in a dry run
     * @throws DoipError 404 if the object does not exist, 409 if other writers keep committing first
     */
    change<C extends ObjectChange>(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<C>
    ): Promise<C> {

        return this.locked(id, context, async (deadline) => {

            const attempt = (): Promise<C | null> => this.#parts.clock.reserve(() => this.#attempt(id, context, compute), context.dryRun);
            const change = await retryOnConflict(attempt, { deadline, message: beingChanged(id) });
            recordWrite(id, change, context);
            return change;
        });
    }

    /** Returns null after a lost race. */
    async #attempt<C extends ObjectChange>(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<C>
    ): Promise<C | null> {

        const { object } = await this.#parts.reader.view(id);
        if (!object) {
            throw missingObject(id);
        }

        context.check?.(object);
        checkWritable(this.#parts.catalog.current.design, context.caller, id);
        const change = await compute(object, Date.now());
        if (context.dryRun) {
            await this.#parts.writer.examine(change);
            return change;
        }

        return await this.#parts.writer.write(change) === 'stored' ? change : null;
    }
}

/** Message for an object that other writers keep changing. */
export function beingChanged(id: string): string {

    return `object ${id} is being changed by others, try again`;
}

/** Records the write of an object by a script within a method of the same object. */
function recordWrite(id: string, { after }: ObjectChange, { chain, dryRun }: WriteContext): void {

    const lock = chain?.locks.get(id);
    if (lock && !dryRun) {
        lock.lastWrite = after?.metadata.txnId ?? null;
    }
}
