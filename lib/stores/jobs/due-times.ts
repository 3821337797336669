/** Reads when jobs are due, for all kinds by one statement: every node asks again and again. */

import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';

/** First and last time of the waiting and the running jobs of a kind; null where there are none. */
interface DueRow {
    /** Position of the kind in the list. */
    readonly n: number;
    readonly waiting: number | null;
    readonly latest: number | null;
    readonly leased: number | null;
    readonly longest: number | null;
}

/** Subqueries with one minimum or maximum each are answered by one look at an index; a `group by` would read all jobs on some databases. */
const SUBQUERIES = [
    '(select min(run_at) from jobs where kind = ? and state = ?) as waiting', '(select max(run_at) from jobs where kind = ? and state = ?) as latest',
    '(select min(lease_until) from jobs where kind = ? and state = ?) as leased', '(select max(lease_until) from jobs where kind = ? and state = ?) as longest'
].join(', ');

export class DueTimes {

    readonly #database: Pick<Database, 'dialect' | 'read'>;
    /** By the number of kinds. */
    readonly #statements = new Map<number, ReturnType<typeof build>>();

    constructor(database: Pick<Database, 'dialect' | 'read'>) {

        this.#database = database;
    }

    /**
     * Returns when the next job of each kind is due, or a lease of one expires (epoch ms); Infinity where there is none, 0 where the time of a job
     * is later than `far`, which is due.
     */
    async read(kinds: readonly string[], far: number): Promise<Map<string, number>> {

        if (kinds.length === 0) {
            return new Map();
        }

        let statement = this.#statements.get(kinds.length);
        if (!statement) {
            statement = build(this.#database, kinds.length);
            this.#statements.set(kinds.length, statement);
        }

        const rows = await statement.read<DueRow>(Object.fromEntries(kinds.map((kind, n) => [`kind${n}`, kind])));
        return new Map(rows.map(({ n, waiting, latest, leased, longest }) => {

            const isEarly = (latest ?? 0) > far || (longest ?? 0) > far;
            return [kinds[n] ?? '', isEarly ? 0 : Math.min(waiting ?? Infinity, (leased ?? Infinity) + 1)];
        }));
    }
}

function build(database: Pick<Database, 'dialect' | 'read'>, count: number) {

    return statements(database)<string>((knex, bind) => {

        const numbers = Array.from({ length: count }, (_, n) => n);
        const bindings = numbers.map((n) => bind(`kind${n}`)).flatMap((kind) => [kind, 'waiting', kind, 'waiting', kind, 'running', kind, 'running']);
        return knex.raw(numbers.map((n) => `select ${n} as n, ${SUBQUERIES}`).join(' union all '), bindings);
    });
}
