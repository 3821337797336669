/**
 * Outbox of handles whose records have to be registered with a handle server. A row stands for the current state of a handle at the
 * time of delivery, so there is at most one row per handle, and an old state never overwrites a newer one.
 */

import { randomInt } from 'node:crypto';
import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** A handle to be delivered. */
export interface OutboxEntry {
    readonly handle: string;
    /** Distinguishes this entry from later ones for the same handle. */
    readonly revision: number;
    /** Number of failed attempts. */
    readonly attempts: number;
}

/** Result of a failed attempt. */
export interface Postponement {
    readonly error: string;
    /** Time of the next attempt (epoch ms); null for none before the handle changes. */
    readonly runAt: number | null;
    /** True when the error is specific to this handle, so that updates no longer wait for it. */
    readonly hasFailed: boolean;
}

/** Counting more would take long. */
const MAX_COUNT = 10_000;

const NEVER = Number.MAX_SAFE_INTEGER;

/** No entry waits as long as this, in ms. One that seems to was stored while the clock was ahead: it is due. */
const MAX_WAIT_MS = 2 * 60 * 60_000;

const MAX_REVISION = 2 ** 48 - 1;
const MAX_ERROR_LENGTH = 2000;

/** Outbox of handles in the database. */
export class HandleOutboxStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the step that puts a handle into the outbox, for the unit of its change. */
    markStep(handle: string, now: number): Step {

        return this.#sql.mark.step({ handle, now, revision: randomInt(MAX_REVISION) });
    }

    /** The time by which entries are due (epoch ms). */
    now(): number {

        return this.#db.now();
    }

    /** Puts a handle into the outbox. */
    async mark(handle: string, now: number): Promise<void> {

        await this.#db.commit({ steps: [this.markStep(handle, now)] });
    }

    /** Puts handles into the outbox for an update that waits for their results. */
    async markFor(updateId: number, handles: readonly string[], now: number): Promise<void> {

        const steps = handles.map((handle) => this.#sql.markFor.step({ handle, now, revision: randomInt(MAX_REVISION), updateId }));
        await this.#db.commit({ steps });
    }

    /** Returns entries that are due, oldest first. */
    async due(now: number, limit: number): Promise<OutboxEntry[]> {

        const due = await this.#sql.due.read<OutboxEntry>({ now, limit });
        return due.length > 0 ? due : this.#sql.early.read<OutboxEntry>({ far: now + MAX_WAIT_MS, limit });
    }

    /** Returns when the next entry is due (epoch ms); null when there is none. */
    async nextDue(): Promise<number | null> {

        const found = await this.#sql.nextDue.first<{ due: number | null }>({});
        return found?.due ?? null;
    }

    /** Counts the entries, up to {@link MAX_COUNT}, and those of them whose last attempt failed. */
    async counts(): Promise<{ readonly entries: number; readonly failed: number }> {

        const found = await this.#sql.counts.first<{ count: number; failed: number | string | null }>({ limit: MAX_COUNT });
        return { entries: Number(found?.count ?? 0), failed: Number(found?.failed ?? 0) };
    }

    /** Removes a delivered entry, unless the handle has changed since. */
    async remove({ handle, revision }: OutboxEntry): Promise<void> {

        await this.#db.commit({ steps: [this.#sql.remove.step({ handle, revision })], shared: true, essential: true });
    }

    /** Postpones an entry, unless the handle has changed since. */
    async postpone({ handle, revision }: OutboxEntry, { error, runAt, hasFailed }: Postponement, now: number): Promise<void> {

        await this.#db.commit({ steps: [this.#sql.postpone.step({
            handle, revision, run_at: runAt ?? NEVER, error: error.slice(0, MAX_ERROR_LENGTH), failed_on: hasFailed ? now : null
        })] });
    }

    /** Returns whether an update still waits for a handle. */
    async isAwaited(updateId: number): Promise<boolean> {

        return (await this.#sql.awaited.read({ updateId })).length > 0;
    }

    /** Ends the waiting of an update; resolves to the number of its handles that failed. */
    async release(updateId: number): Promise<number> {

        const result = await this.#db.commit({ steps: [this.#sql.release.step({ updateId })] });
        return result.ok ? result.steps[0]?.rows ?? 0 : 0;
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    const fresh = { attempts: 0, failed_on: null, last_error: null };
    return {
        mark: build<'handle' | 'revision' | 'now'>((knex, bind) => {

            const values = { revision: bind('revision'), run_at: bind('now'), ...fresh };
            return knex('handle_outbox').insert({ handle: bind('handle'), ...values }).onConflict('handle').merge(values);
        }),
        markFor: build<'handle' | 'revision' | 'now' | 'updateId'>((knex, bind) => {

            const values = { revision: bind('revision'), run_at: bind('now'), update_id: bind('updateId'), ...fresh };
            return knex('handle_outbox').insert({ handle: bind('handle'), ...values }).onConflict('handle').merge(values);
        }),
        due: build<'now' | 'limit'>((knex, bind) => knex('handle_outbox').select('handle', 'revision', 'attempts')
            .where('run_at', '<=', bind('now')).orderBy(['run_at', 'handle']).limit(bind('limit'))),
        early: build<'far' | 'limit'>((knex, bind) => knex('handle_outbox').select('handle', 'revision', 'attempts')
            .where('run_at', '>', bind('far')).where('run_at', '<', NEVER).orderBy(['run_at', 'handle']).limit(bind('limit'))),
        nextDue: build<never>((knex) => knex('handle_outbox').min({ due: 'run_at' })),
        counts: build<'limit'>((knex, bind) => knex.count({ count: '*' }).sum({ failed: knex.raw('case when failed_on is null then 0 else 1 end') }).from(
            knex('handle_outbox').select('failed_on').orderBy('run_at').limit(bind('limit')).as('entries'))),
        remove: build<'handle' | 'revision'>((knex, bind) => knex('handle_outbox').delete()
            .where({ handle: bind('handle'), revision: bind('revision') })),
        postpone: build<'handle' | 'revision' | 'run_at' | 'error' | 'failed_on'>((knex, bind) => knex('handle_outbox')
            .update({ run_at: bind('run_at'), attempts: knex.raw('attempts + 1'), last_error: bind('error'), failed_on: bind('failed_on') })
            .where({ handle: bind('handle'), revision: bind('revision') })),
        awaited: build<'updateId'>((knex, bind) => knex('handle_outbox').select('handle')
            .where('update_id', bind('updateId')).whereNull('failed_on').limit(1)),
        release: build<'updateId'>((knex, bind) => knex('handle_outbox').update({ update_id: null }).where('update_id', bind('updateId')))
    };
}
