/**
 * The floor under transaction numbers where several nodes share a database: once it was raised, nothing is stored any more with a
 * number up to it, by whatever node. Every unit with a number looks at it under a shared lock, so raising it waits for those that
 * are being written, and those that come later see it. This rests on the locks of one database server: a cluster of servers that
 * all take writes does not share them.
 */

import type { Database, Guard } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** What a unit fails with whose number the floor has passed. */
export const NUMBER_PASSED = 'number:passed';

export class NumberFloorStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** False where this process alone writes, and knows its numbers: then there is no floor. */
    get isNeeded(): boolean {

        return this.#db.dialect === 'mysql';
    }

    /** The guard of a unit that stores an object with a number; undefined where there is no floor. */
    guard(number: number): Guard | undefined {

        return this.isNeeded ? { statement: this.#sql.hold, number, otherwise: NUMBER_PASSED } : undefined;
    }

    async read(): Promise<number> {

        const { read } = this.#sql;
        const [found] = await this.#db.read<{ floor: number }>(read, read.values({}));
        return found?.floor ?? 0;
    }

    /** Raises the floor. When it resolves, whatever is stored with a number up to it can be read, and no more is to come. */
    async raise(floor: number): Promise<void> {

        if (await this.read() < floor) {
            await this.#db.commit({ steps: [this.#sql.raise.step({ floor, above: floor })] });
        }
    }
}

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        read: build<never>((knex) => knex('number_floor').where('id', 1).select('floor')),
        hold: build((knex) => knex.raw('select floor from number_floor where id = 1 lock in share mode')),
        raise: build<'floor' | 'above'>((knex, bind) => knex('number_floor').where('id', 1).where('floor', '<', bind('above'))
            .update({ floor: bind('floor') }))
    };
}
