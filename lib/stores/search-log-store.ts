/**
 * The log of changed objects: one row for each change, written with it.
 */

import type { CommitResult, Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** A row of the log. */
export interface LogRow {
    readonly seq: number;
    readonly objectId: string;
    /** Which process wrote it, and as the how-manieth. */
    readonly origin: string;
    readonly number: number;
}

/** Rows of one read. */
export const LOG_ROWS = 500;

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

    /** Rows after a position, at most {@link LOG_ROWS}, in their order. */
    async read(after: number): Promise<LogRow[]> {

        const { read } = this.#sql;
        return await this.#db.read<LogRow & Record<string, never>>(read, read.values({ after }));
    }

    /** The highest number in the log, 0 when it is empty. */
    async last(): Promise<number> {

        const [found] = await this.#db.read<{ last: number | null }>(this.#sql.last, []);
        return found?.last ?? 0;
    }

    /** Removes the oldest rows up to a number, a few at a time; true when none is left. */
    async prune(upTo: number): Promise<boolean> {

        const [found] = await this.#db.read<{ first: number | null }>(this.#sql.first, []);
        const first = found?.first ?? Infinity;
        if (first > upTo) {
            return true;
        }

        await this.#db.commit({ steps: [this.#sql.prune.step({ upTo: Math.min(upTo, first + PRUNED_AT_ONCE) })] });
        return false;
    }
}

const PRUNED_AT_ONCE = 5000;

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        append: build<'objectId' | 'origin' | 'number'>((knex, bind) => knex('search_log').insert({
            object_id: bind('objectId'), origin: bind('origin'), number: bind('number')
        })),
        read: build<'after'>((knex, bind) => knex('search_log').where('seq', '>', bind('after')).orderBy('seq').limit(LOG_ROWS)
            .select('seq', 'object_id as objectId', 'origin', 'number')),
        last: build((knex) => knex('search_log').max('seq as last')),
        first: build((knex) => knex('search_log').min('seq as first')),
        prune: build<'upTo'>((knex, bind) => knex('search_log').where('seq', '<=', bind('upTo')).delete())
    };
}
