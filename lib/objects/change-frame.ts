/**
 * The frame of every change to an existing object: one writer at a time, on its newest state, computed anew when another node
 * was faster. Correctness rests on the preconditions of the unit, not on the lock.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyedLocks } from '../core/locks.js';
import type { ObjectStore, ObjectView } from '../stores/object-store.js';
import type { Catalog } from '../types/catalog.js';
import type { ObjectWriter } from './object-writer.js';
import type { StoredObject } from './stored-object.js';
import type { TransactionClock } from './transaction-clock.js';
import type { WriteContext } from './write-context.js';
import type { ObjectChange } from './write-participant.js';
import { conflict, notFound } from '../doip/error.js';
import { checkWritable } from './write-rules.js';

/** Milliseconds that a writer waits for another one on the same object. */
const LOCK_DEADLINE = 30_000;

/** Milliseconds that a script waits for another object. Two scripts that want each other's objects both wait no longer than this. */
const SCRIPT_LOCK_DEADLINE = 2000;

/** Milliseconds for which a change is computed anew while other nodes keep being faster. */
const RACE_DEADLINE = 15_000;

/** Most milliseconds between two attempts. A random part of it keeps nodes from meeting again and again. */
const RACE_PAUSE = 20;

/** Changes existing objects. */
export class ChangeFrame {

    readonly #store: ObjectStore;
    readonly #catalog: Catalog;
    readonly #writer: ObjectWriter;
    readonly #locks: KeyedLocks;
    readonly #clock: TransactionClock;

    constructor(parts: { store: ObjectStore; catalog: Catalog; writer: ObjectWriter; locks: KeyedLocks; clock: TransactionClock }) {

        this.#store = parts.store;
        this.#catalog = parts.catalog;
        this.#writer = parts.writer;
        this.#locks = parts.locks;
        this.#clock = parts.clock;
    }

    /** The object of an id, or its absence. The catalog of types is at least as new as the object afterwards. */
    async view(id: string): Promise<ObjectView> {

        const view = await this.#store.view(id);
        await this.#catalog.ensure(view.epochs.types);
        return view;
    }

    /** Runs work while nobody else on this node changes an object. */
    async locked<T>(id: string, { within }: Pick<WriteContext, 'within'>, work: () => Promise<T>): Promise<T> {

        const held = within?.held.get(id);
        if (held?.by === 'change') {
            throw conflict(`object ${id} is being changed by the request that runs this script: change the object that the hook is given`);
        }

        return held ? work() : this.#locks.run(id, within ? SCRIPT_LOCK_DEADLINE : LOCK_DEADLINE, work);
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

        return this.locked(id, context, async () => {

            const deadline = performance.now() + RACE_DEADLINE;
            while (performance.now() < deadline) {
                const change = await this.#clock.during(() => this.#attempt(id, context, compute));
                if (change) {
                    noteWrite(id, change, context);
                    return change;
                }

                await sleep(Math.random() * RACE_PAUSE);
            }

            throw conflict(`object ${id} is being changed by others, try again`);
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
            throw notFound(`object ${id} does not exist`);
        }

        context.check?.(object);
        checkWritable(this.#catalog.current.design, context.caller, id);
        return object;
    }
}

/** A method may change its object also by itself. */
function noteWrite(id: string, { after }: ObjectChange, { within, dryRun }: WriteContext): void {

    const held = within?.held.get(id);
    if (held && !dryRun) {
        held.lastWrite = after?.metadata.txnId ?? null;
    }
}
