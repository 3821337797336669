/**
 * Change log: one row for each change of an object, written with it.
 *
 * Row numbers are assigned before the commit, in a different order: on Galera they go in steps, servers of TiDB take them from ranges of
 * their own, and rolled back inserts leave gaps. So nothing is derived from them. Visible rows are moved, some hundred at a time, into
 * batches, whose positions have no gaps and become visible in ascending order: a batch is inserted at the position after the highest that
 * was read, and the primary key rejects all but one. A change that is committed late is simply in a later batch.
 */

import { createHash } from 'node:crypto';
import type { CommitResult, Database, Step } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';

/** A row of the log. */
export interface LogRow {
    readonly seq: number;
    readonly objectId: string;
    /** The process that wrote it, and the number of the change in that process. */
    readonly origin: string;
    readonly number: number;
}

/** Rows that were ordered together. */
export interface LogBatch {
    readonly position: number;
    readonly rows: readonly LogRow[];
}

/** What is in the log at a time. */
export interface LogSnapshot {
    /** Numbers of the rows that are in no batch yet. */
    readonly unordered: ReadonlySet<number>;
    /** The highest position, 0 when there is none; all other rows are in batches up to it. */
    readonly last: number;
}

/** Maximum number of rows in one read, and in one batch; no more than a list of a statement may have. */
export const LOG_ROWS = 500;

/** Maximum number of batches in one read. */
const BATCHES = 8;

/** Maximum number of batches deleted by one statement. */
const PRUNED_PER_BATCH = 100;

/** `failed` of a batch whose position another node has used. */
const NUMBER_CONFLICT = 'search:taken';

export class SearchLogStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the steps for a unit that changes or deletes an object; they come after the steps of the object. */
    steps(objectId: string, origin: string, number: number): Step[] {

        return [this.#sql.append.step({ objectId, origin, number })];
    }

    /** Appends rows, after other steps of the same unit. */
    async append(rows: readonly Omit<LogRow, 'seq'>[], along: readonly Step[]): Promise<CommitResult> {

        return await this.#db.commit({ steps: [...along, ...rows.map((row) => this.#sql.append.step(row))] });
    }

    /** Returns up to {@link LOG_ROWS} rows that are in no batch yet, after a number. To be read before batches, because rows only move there. */
    async unordered(after: number): Promise<LogRow[]> {

        return await this.#sql.unordered.read<LogRow>({ after });
    }

    /** Returns the next batches after a position; empty when there are none. */
    async batches(after: number): Promise<LogBatch[]> {

        return (await this.#sql.batches.read<BatchRow>({ after })).map(toBatch);
    }

    /** Returns what is in the log; by one statement when all rows are in batches. */
    async snapshot(): Promise<LogSnapshot> {

        const end = await this.#sql.end.first<{ last: number | null; first: number | null }>({});
        const unordered = new Set<number>();
        if (end && end.first === null) {
            return { unordered, last: end.last ?? 0 };
        }

        for (let after: number | undefined = 0; after !== undefined;) {
            const rows: LogRow[] = await this.unordered(after);
            rows.forEach(({ seq }) => unordered.add(seq));
            after = rows.length < LOG_ROWS ? undefined : rows.at(-1)?.seq;
        }

        return { unordered, last: await this.last() };
    }

    /** Returns the highest position, 0 when there is none. */
    async last(): Promise<number> {

        const found = await this.#sql.last.first<{ last: number | null }>({});
        return found?.last ?? 0;
    }

    /**
     * Makes the next batch. Each statement is a transaction of its own, so that a node which stops in between holds no lock; the
     * next call completes what is left.
     *
     * @returns true when there may be more to do; false when little was left, or another node is doing it
     */
    async order(): Promise<boolean> {

        // Read before the rows: a batch that is made between the two reads takes the position that is tried then.
        const found = await this.#sql.newest.first<BatchRow>({});
        const batch = found ? toBatch(found) : { position: 0, rows: [] };
        const rows = await this.unordered(0);
        const ordered = new Set(batch.rows.map(({ seq }) => seq));
        // When there are more rows than were read, others of the batch may be among them: numbers are not in the order of commits.
        await this.#remove(rows.length === LOG_ROWS ? batch.rows : rows.filter(({ seq }) => ordered.has(seq)));
        const next = rows.filter(({ seq }) => !ordered.has(seq));
        if (next.length === 0) {
            return rows.length === LOG_ROWS;
        }

        const changes = JSON.stringify(next.map(({ seq, objectId, origin, number }) => [seq, objectId, origin, number]));
        const step = this.#sql.add.step({ position: batch.position + 1, changes }, { duplicate: NUMBER_CONFLICT });
        const { ok } = await this.#db.commit({ steps: [step], isRepeatable: true, essential: true });
        if (ok) {
            await this.#remove(next);
        }

        return ok && rows.length === LOG_ROWS;
    }

    /** Deletes some of the oldest batches below a position; true when none is left. The highest batch must stay. */
    async prune(below: number): Promise<boolean> {

        const found = await this.#sql.oldest.first<{ first: number | null }>({});
        const first = found?.first ?? Infinity;
        if (first >= below) {
            return true;
        }

        await this.#db.commit({ steps: [this.#sql.prune.step({ below: Math.min(below, first + PRUNED_PER_BATCH) })], essential: true });
        return false;
    }

    async #remove(rows: readonly LogRow[]): Promise<void> {

        if (rows.length > 0) {
            await this.#db.commit({ steps: [this.#sql.remove.step({ seqs: rows.map(({ seq }) => seq) })], isRepeatable: true, essential: true });
        }
    }
}

/** Returns a position behind all rows of a snapshot, by a later one or itself; null while some of them are in no batch. */
export function positionBehind({ unordered }: LogSnapshot, later: LogSnapshot): number | null {

    for (const seq of unordered) {
        if (later.unordered.has(seq)) {
            return null;
        }
    }

    return later.last;
}

/** Returns the digest of a batch: where the database has lost its last commits another one may have its position. */
export function digestOf({ rows }: LogBatch): string {

    const text = JSON.stringify(rows.map(({ seq, objectId, origin, number }) => [seq, objectId, origin, number]));
    return createHash('sha256').update(text).digest('base64url');
}

type BatchRow = { readonly position: number; readonly changes: string };

function toBatch({ position, changes }: BatchRow): LogBatch {

    const rows = JSON.parse(changes) as [number, string, string, number][];
    return { position, rows: rows.map(([seq, objectId, origin, number]) => ({ seq, objectId, origin, number })) };
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        append: build<'objectId' | 'origin' | 'number'>((knex, bind) => knex('search_log').insert({
            object_id: bind('objectId'), origin: bind('origin'), number: bind('number')
        })),
        unordered: build<'after'>((knex, bind) => knex('search_log').where('seq', '>', bind('after')).orderBy('seq').limit(LOG_ROWS)
            .select('seq', 'object_id as objectId', 'origin', 'number')),
        // By key, row by row: a range would wait in MySQL for rows in it that are not committed yet.
        remove: build.list<never, 'seqs'>((knex, bind, list) => {

            const seqs = list('seqs');
            return db.dialect === 'sqlite' ? knex('search_log').whereIn('seq', seqs).delete() : knex.raw(
                `delete l from (${seqs.map((_, i) => (i === 0 ? 'select ? as seq' : 'select ?')).join(' union ')}) as o ` +
                'straight_join search_log as l on l.seq = o.seq', seqs);
        }),
        batches: build<'after'>((knex, bind) => knex('search_batches').where('position', '>', bind('after')).orderBy('position').limit(BATCHES)
            .select('position', 'changes')),
        newest: build<never>((knex) => knex('search_batches').orderBy('position', 'desc').limit(1).select('position', 'changes')),
        add: build<'position' | 'changes'>((knex, bind) => knex('search_batches').insert({ position: bind('position'), changes: bind('changes') })),
        last: build((knex) => knex('search_batches').max('position as last')),
        // One statement, so that no row is ordered in between.
        end: build((knex) => knex.select(knex('search_batches').max('position').as('last'), knex('search_log').min('seq').as('first'))),
        oldest: build((knex) => knex('search_batches').min('position as first')),
        prune: build<'below'>((knex, bind) => knex('search_batches').where('position', '<', bind('below')).delete())
    };
}
