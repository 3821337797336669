/**
 * Group commit for MySQL and MariaDB: while a few transactions are on their way, units that may share one gather here, and the
 * next transaction writes many of them. When one of them is refused, or the database undoes them all, they are written in two
 * halves, down to single ones, so that each fails on its own.
 */

import { CompletionQueue } from '../../commit-callbacks.js';
import type { CommitResult, Unit } from '../../database.js';

/** Writes units; what it rejects with holds for all of them. */
export interface UnitWriter {
    one(unit: Unit): Promise<CommitResult>;
    /** False when nothing of them was written because one of them stands in the way. */
    many(units: readonly Unit[]): Promise<boolean>;
}

interface Pending {
    readonly unit: Unit;
    resolve(result: CommitResult): void;
    reject(error: unknown): void;
}

/** Transactions on their way at the same time: while one waits for the disk, the next is sent. */
const TRANSACTIONS = 2;

/** Units of one transaction, their steps together, and the characters and bytes that they carry, which must fit into one packet. */
const MAX_UNITS = 64;
const MAX_STEPS = 512;
const MAX_BYTES = 256 * 1024;

/** Gathers units. */
export class MysqlGroupCommit {

    readonly #writer: UnitWriter;
    readonly #answers = new CompletionQueue();
    #queue: Pending[] = [];
    #running = 0;
    #scheduled = false;

    constructor(writer: UnitWriter) {

        this.#writer = writer;
    }

    /** Writes a unit, alone or with others. */
    commit(unit: Unit): Promise<CommitResult> {

        return new Promise((resolve, reject) => {

            this.#queue.push({ unit, resolve, reject });
            this.#schedule();
        });
    }

    /** What arrives in the same turn of the event loop goes together. */
    #schedule(): void {

        if (!this.#scheduled && this.#queue.length > 0 && this.#running < TRANSACTIONS) {
            this.#scheduled = true;
            setImmediate(() => {

                this.#scheduled = false;
                this.#running += 1;
                void this.#write(this.#takeGroup()).finally(() => {

                    this.#running -= 1;
                    this.#schedule();
                });
                this.#schedule();
            });
        }
    }

    /** Units from the head of the queue, up to the limits; always at least one. */
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
    async #write(group: readonly Pending[]): Promise<void> {

        try {
            const [first] = group;
            if (first && group.length === 1) {
                first.resolve(await this.#writer.one(first.unit));
                return;
            }

            if (await this.#writer.many(group.map(({ unit }) => unit))) {
                this.#answers.add(group, (pending) => pending.resolve({ ok: true, steps: [] }));
                return;
            }
        }
        catch (error) {
            this.#answers.add(group, (pending) => pending.reject(error));
            return;
        }

        const half = Math.ceil(group.length / 2);
        await this.#write(group.slice(0, half));
        await this.#write(group.slice(half));
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
