/** Reads when jobs are due, and the leases of those that run, for all kinds by one statement: every node asks again and again. */

import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import type { StoredLease } from './lease-watch.js';

/** First and last time of the waiting jobs of a kind, null where there are none; or the lease of a job that runs. */
interface DueRow {
    /** Position of the kind in the list; null for a lease. */
    readonly n: number | null;
    readonly waiting: number | null;
    readonly latest: number | null;
    readonly id: number;
    readonly kind: string;
    readonly lease_owner: string;
    readonly lease_until: number;
}

/** What is there of a kind. */
export interface DueJobs {
    /** When the next job is due (epoch ms); Infinity where there is none, 0 where the time of one is later than possible, which is due. */
    readonly due: number;
    readonly leases: readonly StoredLease[];
}

/** Maximum number of leases that are read; more than there are. */
export const MAX_LEASES = 1000;

/** Subqueries with one minimum or maximum each are answered by one look at an index; a `group by` would read all jobs on some databases. */
const SUBQUERIES = [
    '(select min(run_at) from jobs where kind = ? and state = ?) as waiting', '(select max(run_at) from jobs where kind = ? and state = ?) as latest'
].join(', ');

const LEASES = `select * from (select null as n, null as waiting, null as latest, id, kind, lease_owner, lease_until from jobs where state = ? ` +
    `order by id limit ${MAX_LEASES}) as leases`;

export class DueTimes {

    readonly #database: Pick<Database, 'dialect' | 'read'>;
    /** By the number of kinds. */
    readonly #statements = new Map<number, ReturnType<typeof build>>();

    constructor(database: Pick<Database, 'dialect' | 'read'>) {

        this.#database = database;
    }

    /**
     * Returns what is there of each kind.
     *
     * @param farthest by kind: a job is due as well if its time is later than this
     */
    async read(farthest: ReadonlyMap<string, number>): Promise<Map<string, DueJobs>> {

        const kinds = [...farthest.keys()];
        if (kinds.length === 0) {
            return new Map();
        }

        let statement = this.#statements.get(kinds.length);
        if (!statement) {
            statement = build(this.#database, kinds.length);
            this.#statements.set(kinds.length, statement);
        }

        const rows = await statement.read<DueRow>(Object.fromEntries(kinds.map((kind, n) => [`kind${n}`, kind])));
        return new Map(kinds.map((kind, n) => {

            const { waiting = null, latest = null } = rows.find((row) => row.n === n) ?? {};
            const leases = rows.filter((row) => row.n === null && row.kind === kind)
                .map(({ id, lease_owner: owner, lease_until: until }) => ({ id, owner, until }));
            return [kind, { due: (latest ?? 0) > (farthest.get(kind) ?? Infinity) ? 0 : waiting ?? Infinity, leases }];
        }));
    }
}

function build(database: Pick<Database, 'dialect' | 'read'>, count: number) {

    return statements(database)<string>((knex, bind) => {

        const numbers = Array.from({ length: count }, (_, n) => n);
        const bindings = numbers.map((n) => bind(`kind${n}`)).flatMap((kind) => [kind, 'waiting', kind, 'waiting']);
        const selects = numbers.map((n) => `select ${n} as n, ${SUBQUERIES}, null as id, null as kind, null as lease_owner, null as lease_until`);
        return knex.raw([...selects, LEASES].join(' union all '), [...bindings, 'running']);
    });
}
