/**
 * The log of changed objects: one row for each change, written with it.
 *
 * The numbers of rows are given before commits and differ in order from them; on a cluster they go in steps, and undone inserts leave
 * holes. So nothing is derived from them. Rows that can be read are moved, some hundred at a time, into batches, whose positions have no
 * holes and become visible in ascending order: a batch is inserted under the position after the highest that was read, and the key refuses
 * all but one. A change that is committed late is simply in a later batch.
 */

import type { CommitResult, Database, Step } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';

/** A row of the log. */
export interface LogRow {
    readonly seq: number;
    readonly objectId: string;
    /** Which process wrote it, and as the how-manieth. */
    readonly origin: string;
    readonly number: number;
}

/** Rows that were put in order together. */
export interface LogBatch {
    readonly position: number;
    readonly rows: readonly LogRow[];
}

/** Rows of one read, and of one batch; no more than a list of a statement may have. */
export const LOG_ROWS = 500;

/** Batches of one read. */
const BATCHES = 8;

/** Batches that are removed by one statement. */
const PRUNED_PER_BATCH = 100;

/** What a batch fails with that somebody else has made. */
const TAKEN = 'search:taken';

export class SearchLogStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Steps of a unit that changes or deletes an object. They come after the object's own. */
    steps(objectId: string, origin: string, number: number): Step[] {

        return [this.#sql.append.step({ objectId, origin, number })];
    }

    /** Appends rows, together with other steps that come before them. */
    async append(rows: readonly Omit<LogRow, 'seq'>[], along: readonly Step[]): Promise<CommitResult> {

        return await this.#db.commit({ steps: [...along, ...rows.map((row) => this.#sql.append.step(row))] });
    }

    /** Rows that are in no batch yet, from a number on, at most {@link LOG_ROWS}. To be read before batches: rows only go there. */
    async unordered(after: number): Promise<LogRow[]> {

        const { unordered } = this.#sql;
        return await this.#db.read<LogRow & Record<string, never>>(unordered, unordered.values({ after }));
    }

    /** The next batches after a position; an empty list when there are none. */
    async batches(after: number): Promise<LogBatch[]> {

        const { batches } = this.#sql;
        return (await this.#db.read<BatchRow>(batches, batches.values({ after }))).map(toBatch);
    }

    /** The highest position, 0 when there is none. */
    async last(): Promise<number> {

        const [found] = await this.#db.read<{ last: number | null }>(this.#sql.last, []);
        return found?.last ?? 0;
    }

    /**
     * Makes the next batch. Each of its statements is a transaction of its own, so that no node which stops in the middle holds a lock;
     * what it leaves undone the next one does.
     *
     * @returns true when there may be more to be done; false when little was left, or others are at it
     */
    async order(): Promise<boolean> {

        const { newest } = this.#sql;
        // Before the rows: what becomes a batch between the two readings takes the position that is tried then.
        const [found] = await this.#db.read<BatchRow>(newest, newest.values({}));
        const batch = found ? toBatch(found) : { position: 0, rows: [] };
        const rows = await this.unordered(0);
        const ordered = new Set(batch.rows.map(({ seq }) => seq));
        await this.#remove(rows.filter(({ seq }) => ordered.has(seq)));
        const next = rows.filter(({ seq }) => !ordered.has(seq));
        if (next.length === 0) {
            return rows.length === LOG_ROWS;
        }

        const changes = JSON.stringify(next.map(({ seq, objectId, origin, number }) => [seq, objectId, origin, number]));
        const step = this.#sql.add.step({ position: batch.position + 1, changes }, { duplicate: TAKEN });
        const { ok } = await this.#db.commit({ steps: [step], isRepeatable: true, essential: true });
        if (ok) {
            await this.#remove(next);
        }

        return ok && rows.length === LOG_ROWS;
    }

    /** Removes the oldest batches below a position, a few at a time; true when none is left. The highest batch must stay. */
    async prune(below: number): Promise<boolean> {

        const [found] = await this.#db.read<{ first: number | null }>(this.#sql.first, []);
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

type BatchRow = { readonly position: number; readonly changes: string };

function toBatch({ position, changes }: BatchRow): LogBatch {

    const rows = JSON.parse(changes) as [number, string, string, number][];
    return { position, rows: rows.map(([seq, objectId, origin, number]) => ({ seq, objectId, origin, number })) };
}

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        append: build<'objectId' | 'origin' | 'number'>((knex, bind) => knex('search_log').insert({
            object_id: bind('objectId'), origin: bind('origin'), number: bind('number')
        })),
        unordered: build<'after'>((knex, bind) => knex('search_log').where('seq', '>', bind('after')).orderBy('seq').limit(LOG_ROWS)
            .select('seq', 'object_id as objectId', 'origin', 'number')),
        // Row by row, by the key: a range of MySQL would wait for the rows in it that somebody is about to commit.
        remove: build.list<never, 'seqs'>((knex, bind, list) => {

            const seqs = list('seqs');
            return dialect === 'sqlite' ? knex('search_log').whereIn('seq', seqs).delete() : knex.raw(
                `delete l from (${seqs.map((_, i) => (i === 0 ? 'select ? as seq' : 'select ?')).join(' union ')}) as o ` +
                'straight_join search_log as l on l.seq = o.seq', seqs);
        }),
        batches: build<'after'>((knex, bind) => knex('search_batches').where('position', '>', bind('after')).orderBy('position').limit(BATCHES)
            .select('position', 'changes')),
        newest: build<never>((knex) => knex('search_batches').orderBy('position', 'desc').limit(1).select('position', 'changes')),
        add: build<'position' | 'changes'>((knex, bind) => knex('search_batches').insert({ position: bind('position'), changes: bind('changes') })),
        last: build((knex) => knex('search_batches').max('position as last')),
        first: build((knex) => knex('search_batches').min('position as first')),
        prune: build<'below'>((knex, bind) => knex('search_batches').where('position', '<', bind('below')).delete())
    };
}
