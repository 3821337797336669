/**
 * Group commit for MySQL and MariaDB: while transactions are running, shareable units are queued, and the next transaction writes
 * many of them. When it fails because of one of them, the group is split in halves, down to single units, so that each fails
 * separately.
 */

import { CompletionQueue } from '../../commit-callbacks.js';
import { SLOTS, type CommitResult, type Unit } from '../../database.js';

/** Writes units in a slot, which no other transaction uses at the same time; a rejection applies to all of them. */
export interface UnitWriter {
    one(unit: Unit, slot: number): Promise<CommitResult>;
    /** Resolves to false when nothing was written because of one of the units. */
    many(units: readonly Unit[], slot: number): Promise<boolean>;
}

interface Pending {
    readonly unit: Unit;
    resolve(result: CommitResult): void;
    reject(error: unknown): void;
}

/** Limits of one transaction: units, steps, and bytes of their values, which must fit into one packet. */
const MAX_UNITS = 64;
const MAX_STEPS = 512;
const MAX_BYTES = 256 * 1024;

/** Groups units. */
export class MysqlGroupCommit {

    readonly #writer: UnitWriter;
    readonly #answers = new CompletionQueue();
    #queue: Pending[] = [];
    /** Slots without a transaction. */
    readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
    #scheduled = false;

    constructor(writer: UnitWriter) {

        this.#writer = writer;
    }

    /** Number of units that wait for a transaction. */
    get waiting(): number {

        return this.#queue.length;
    }

    /** Writes a unit, alone or in a group. */
    commit(unit: Unit): Promise<CommitResult> {

        return new Promise((resolve, reject) => {

            this.#queue.push({ unit, resolve, reject });
            this.#schedule();
        });
    }

    /** Units of the same turn of the event loop are grouped. */
    #schedule(): void {

        if (!this.#scheduled && this.#queue.length > 0 && this.#free.length > 0) {
            this.#scheduled = true;
            setImmediate(() => {

                this.#scheduled = false;
                const slot = this.#free.shift() ?? 0;
                void this.#write(this.#takeGroup(), slot).finally(() => {

                    this.#free.push(slot);
                    this.#schedule();
                });
                this.#schedule();
            });
        }
    }

    /** Takes units from the head of the queue, up to the limits; at least one. */
    #takeGroup(): Pending[] {

        let bytes = 0;
        let steps = 0;
        let count = 0;
        for (const { unit } of this.#queue) {
            bytes += bytesOf(unit);
            steps += unit.steps.length;
            if (count > 0 && (count === MAX_UNITS || steps > MAX_STEPS || bytes > MAX_BYTES)) {
                break;
            }

            count += 1;
        }

        return this.#queue.splice(0, count);
    }

    /** Never rejects. */
    async #write(group: readonly Pending[], slot: number): Promise<void> {

        try {
            const [first] = group;
            if (first && group.length === 1) {
                first.resolve(await this.#writer.one(first.unit, slot));
                return;
            }

            if (await this.#writer.many(group.map(({ unit }) => unit), slot)) {
                this.#answers.add(group, (pending) => pending.resolve({ ok: true, steps: [] }));
                return;
            }
        }
        catch (error) {
            this.#answers.add(group, (pending) => pending.reject(error));
            return;
        }

        const half = Math.ceil(group.length / 2);
        await this.#write(group.slice(0, half), slot);
        await this.#write(group.slice(half), slot);
    }
}

function bytesOf({ steps }: Unit): number {

    let bytes = 0;
    for (const { bindings } of steps) {
        for (const value of bindings) {
            bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
        }
    }

    return bytes;
}
