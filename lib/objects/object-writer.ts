/**
 * Commits one change of one object: collects the steps of all participants into a unit, commits it, and maps a failure to a
 * domain error.
 */

import type { Database, Step } from '../../db/database.js';
import { CATALOG_CHANGED } from '../stores/catalog-store.js';
import type { TxnWatermarkStore } from '../stores/txn-watermark-store.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { ElementService } from './elements/element-service.js';
import type { TxnIdGenerator } from './txn-id-generator.js';
import type { ObjectChange, WriteParticipant } from '../model/write-participant.js';
import { conflict, internal } from '../errors/errors.js';
import { BELOW_WATERMARK } from '../stores/txn-watermark-store.js';

/** Failure tag of a unit computed from another state of the object than the stored one. */
export const LOST_RACE = 'object:changed';

/** Failure tag of a create whose id is in use. */
const ID_CONFLICT = 'object:taken';

/** Result of a change. After a lost race it must be recomputed with another transaction number. */
export type WriteOutcome = 'stored' | 'lost-race' | 'id-taken';

/** Makes writers wait while an exclusive operation runs. */
export interface WriteAdmission {
    /**
     * Runs a write, or throws DoipError 503. `write` gets the epoch of types at which it was admitted: it must write nothing once the fence was
     * raised above that.
     */
    run<T>(change: ObjectChange, write: (epoch: number) => Promise<T>): Promise<T>;
}

/** Commits changes of objects. */
export class ObjectWriter {

    readonly #db: Database;
    readonly #store: ObjectStore;
    readonly #elements: ElementService;
    readonly #participants: readonly WriteParticipant[];
    readonly #barrier: WriteAdmission;
    readonly #clock: TxnIdGenerator;
    readonly #floor: TxnWatermarkStore;
    readonly #refresh: () => Promise<unknown>;

    /** @param parts.refresh makes the design and the types current, and what the barrier knows of uploads */
    constructor(parts: {
        db: Database; store: ObjectStore; elements: ElementService; participants: readonly WriteParticipant[]; barrier: WriteAdmission;
        clock: TxnIdGenerator; floor: TxnWatermarkStore; refresh: () => Promise<unknown>;
    }) {

        this.#barrier = parts.barrier;
        this.#db = parts.db;
        this.#clock = parts.clock;
        this.#floor = parts.floor;
        this.#refresh = parts.refresh;
        this.#store = parts.store;
        this.#elements = parts.elements;
        this.#participants = parts.participants;
    }

    /**
     * Commits a change. A change reported as `stored` is on disk.
     *
     * @throws DoipError if a participant rejects it, such as 400 for a username that is taken
     */
    write(change: ObjectChange): Promise<WriteOutcome> {

        return this.#barrier.run(change, (epoch) => this.#commit(change, epoch));
    }

    /** Tries a change that is not stored. @throws DoipError as {@link write}, as far as participants tell in advance */
    async examine(change: ObjectChange): Promise<void> {

        for (const participant of this.#participants) {
            await participant.examine?.(change);
        }
    }

    async #commit(change: ObjectChange, epoch: number): Promise<WriteOutcome> {

        const { instead } = change;
        const steps = [...instead ? await this.#steps(instead) : [], ...await this.#steps(change)];
        const precondition = this.#floor.precondition(change.after?.metadata.txnId ?? null, epoch);
        const outcome = await this.#db.commit({ steps, shared: true, essential: change.after === null, ...precondition ? { precondition } : {} });
        if (outcome.ok) {
            if (change.before) {
                this.#store.forget(change.before.id);
            }

            for (const participant of this.#participants) {
                if (instead) {
                    participant.committed?.(instead);
                }

                participant.committed?.(change);
            }

            return 'stored';
        }

        if (outcome.failed === BELOW_WATERMARK) {
            // The clock of this node may be behind, or an upload has begun that it does not know of.
            this.#clock.raise(await this.#floor.renew());
            await this.#refresh();
            return 'lost-race';
        }

        if (outcome.failed === CATALOG_CHANGED) {
            await this.#refresh();
            return 'lost-race';
        }

        return this.#explain(outcome.failed, change);
    }

    async #steps(change: ObjectChange): Promise<Step[]> {

        const steps: Step[] = [...this.#objectSteps(change), ...change.steps, ...this.#elements.steps(change)];
        for (const participant of this.#participants) {
            steps.push(...await participant.steps(change));
        }

        return steps;
    }

    #objectSteps({ before, after }: ObjectChange): Step[] {

        if (!after) {
            return before ? this.#store.deleteSteps(before, LOST_RACE) : [];
        }

        return before ? this.#store.updateSteps(before, after, LOST_RACE) : this.#store.insertSteps(after, ID_CONFLICT);
    }

    #explain(failed: string, change: ObjectChange): WriteOutcome {

        if (failed === LOST_RACE) {
            return 'lost-race';
        }

        if (failed === ID_CONFLICT) {
            return 'id-taken';
        }

        for (const participant of this.#participants) {
            const error = participant.explain?.(failed, change);
            if (error) {
                throw error;
            }
        }

        if (this.#elements.isLost(failed)) {
            throw conflict('the bytes of a payload were removed before they could be stored, send them again');
        }

        throw internal(new Error(`a unit failed at ${failed}`));
    }
}
