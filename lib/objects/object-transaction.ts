/**
 * The frame of every change to an existing object: one writer at a time, on its newest state, computed anew when another node
 * was faster. Correctness rests on the preconditions of the unit, not on the lock.
 */

import type { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import type { ObjectStore, ObjectView } from '../stores/objects/object-store.js';
import type { Catalog } from '../types/catalog.js';
import type { ObjectWriter } from './object-writer.js';
import type { StoredObject } from '../model/stored-object.js';
import type { TxnIdGenerator } from './txn-id-generator.js';
import type { WriteContext } from '../model/write-context.js';
import type { ObjectChange } from '../model/write-participant.js';
import { conflict, missingObject } from '../errors/errors.js';
import { checkWritable } from './update-request.js';
import { retryOnConflict } from '../util/concurrency/retry-on-conflict.js';

/**
 * Milliseconds in which a write has to have its object to itself and to be stored: a client is not to wait for longer while scripts of others
 * have the object, or other nodes keep being faster.
 */
export const WRITE_TIMEOUT_MS = 10_000;

/** Milliseconds that a script waits for another object. Two scripts that want each other's objects both wait no longer than this. */
const SCRIPT_LOCK_DEADLINE = 2000;

/** Changes existing objects. */
export class ObjectTransaction {

    readonly #store: ObjectStore;
    readonly #catalog: Catalog;
    readonly #writer: ObjectWriter;
    readonly #locks: KeyedLocks;
    readonly #clock: TxnIdGenerator;
    readonly #patience: number;

    constructor(parts: {
        store: ObjectStore; catalog: Catalog; writer: ObjectWriter; locks: KeyedLocks; clock: TxnIdGenerator; patience?: number | undefined;
    }) {

        this.#store = parts.store;
        this.#catalog = parts.catalog;
        this.#writer = parts.writer;
        this.#locks = parts.locks;
        this.#clock = parts.clock;
        this.#patience = parts.patience ?? WRITE_TIMEOUT_MS;
    }

    /** The object of an id, or its absence. The catalog of types is at least as new as the object afterwards. */
    async view(id: string): Promise<ObjectView> {

        const view = await this.#store.view(id);
        await this.#catalog.ensure(view.epochs.types);
        return view;
    }

    /**
     * Runs work while nobody else on this node changes an object.
     *
     * @param work is told the moment, by the clock of `performance.now()`, after which it must not begin anew
     * @throws DoipError 409 when others keep the object for too long
     */
    async locked<T>(id: string, { within }: Pick<WriteContext, 'within'>, work: (deadline: number) => Promise<T>): Promise<T> {

        const deadline = performance.now() + this.#patience;

        const held = within?.held.get(id);
        if (held?.by === 'change') {
            throw conflict(`object ${id} is being changed by the request that runs this script: change the object that the hook is given`);
        }

        return held ? work(deadline) : this.#locks.run(id, within ? SCRIPT_LOCK_DEADLINE : this.#patience, () => work(deadline));
    }

    /**
     * Changes an object.
     *
     * @param compute works out the change of the object as it is; called again after a lost race
     * @returns the change that was stored, or in a dry run would have been
     * @throws DoipError 404 when there is no such object, 409 when others kept being faster
     */
    change<C extends ObjectChange>(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<C>
    ): Promise<C> {

        return this.locked(id, context, async (deadline) => {

            const attempt = (): Promise<C | null> => this.#clock.reserve(() => this.#attempt(id, context, compute));
            const change = await retryOnConflict(attempt, { deadline, message: beingChanged(id) });
            noteWrite(id, change, context);
            return change;
        });
    }

    /** Null when another writer was faster. */
    async #attempt<C extends ObjectChange>(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<C>
    ): Promise<C | null> {

        const change = await compute(await this.#writable(id, context), Date.now());
        return context.dryRun || await this.#writer.write(change) === 'stored' ? change : null;
    }

    async #writable(id: string, context: WriteContext): Promise<StoredObject> {

        const { object } = await this.view(id);
        if (!object) {
            throw missingObject(id);
        }

        context.check?.(object);
        checkWritable(this.#catalog.current.design, context.caller, id);
        return object;
    }
}

/** What is said of an object that others keep changing. */
export function beingChanged(id: string): string {

    return `object ${id} is being changed by others, try again`;
}

/** A method may change its object also by itself. */
function noteWrite(id: string, { after }: ObjectChange, { within, dryRun }: WriteContext): void {

    const held = within?.held.get(id);
    if (held && !dryRun) {
        held.lastWrite = after?.metadata.txnId ?? null;
    }
}
