/**
 * What nodes that share a database may still write. Low watermark (floor) of transaction numbers: once it was raised, no node stores anything with
 * a number up to it. Fence: once it was raised, no node writes what it has admitted at an earlier epoch of types, whatever its clock. Each node has
 * a few rows, and every unit changes one of them, if its floor and fence permit it. So raising a row waits for the unit that is being written, or
 * makes it fail, and later ones see it; other nodes do not wait. Rows are changed rather than locked for reading, because of a change all servers of
 * a cluster know.
 */

import { SLOTS, type Database, type Precondition } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import { resolvesWithin } from '../util/concurrency/timeout.js';

/** `failed` of a unit whose number is not above the floor, or whose epoch is below the fence. */
export const BELOW_WATERMARK = 'number:passed';

/** Number of a unit that stores no object, such as a deletion: above every floor. */
const NO_NUMBER = Number.MAX_SAFE_INTEGER;

/** Milliseconds that raising the floor waits for a node that holds its row, because it was stopped or is slow. */
const TIMEOUT_MS = 2000;

/** Milliseconds since the last write of a node, by the clock of the database, after which its rows are deleted; when it writes again, it adds them again. */
const RETENTION_MS = 7 * 86_400_000;

/** Floor and fence of a row that is not open yet: no unit is written with it. */
const CLOSED = -1;

/** What can be raised. */
type Limit = 'floor' | 'fence';
type Limits = Readonly<Record<Limit, number>>;

interface NodeRow extends Limits {
    readonly node: string;
    readonly made_on: number;
}

export class TxnWatermarkStore {

    readonly #db: Database;
    /** Keys of the rows of this node. */
    readonly #rows: readonly string[];
    readonly #sql: ReturnType<typeof buildStatements>;
    readonly #timeoutMs: number;
    /** Limits of rows that are being raised, and to what: for a locked row only one connection waits for each. */
    readonly #raising = new Map<string, { value: number; done: Promise<void> }>();

    /**
     * @param node name of this node among those that share the database
     * @param timeoutMs milliseconds that {@link raise} waits for nodes that hold their rows
     */
    constructor(db: Database, node: string, timeoutMs = TIMEOUT_MS) {

        this.#db = db;
        this.#rows = Array.from({ length: SLOTS }, (_, slot) => (slot === 0 ? node : `${node}#${slot}`));
        this.#sql = buildStatements(db);
        this.#timeoutMs = timeoutMs;
    }

    /** False where only this process writes, and knows what it has not written yet: then there are no rows. */
    get isNeeded(): boolean {

        return this.#db.dialect === 'mysql';
    }

    /**
     * Returns the precondition of a unit; undefined where there are no rows.
     *
     * @param number number of the object that it stores; null if it stores none
     * @param epoch epoch of types at which it was admitted
     */
    precondition(number: number | null, epoch: number): Precondition | undefined {

        if (!this.isNeeded) {
            return undefined;
        }

        const { pass } = this.#sql;
        const values = { number: number ?? NO_NUMBER, epoch, now: this.#db.now() };
        return {
            statement: pass, slots: this.#rows.map((node) => pass.values({ ...values, node })), number: values.number, epoch, otherwise: BELOW_WATERMARK
        };
    }

    /** Ensures that this node has its rows, without which nothing is stored, and returns the highest of their floors. */
    async renew(): Promise<number> {

        if (!this.isNeeded) {
            return 0;
        }

        const found = await this.#ownRows();
        const isOpen = new Set(found.filter(({ floor, fence }) => floor !== CLOSED && fence !== CLOSED).map(({ node }) => node));
        const missing = this.#rows.filter((node) => !isOpen.has(node));
        await Promise.all(missing.map((node) => this.#open(node)));
        return Math.max(0, ...(missing.length > 0 ? await this.#ownRows() : found).map(({ floor }) => floor));
    }

    /**
     * Adds a row, or completes one that was added. The statements need no transaction: a concurrent raise finds the closed row, and opens it
     * with its own limit, or has already written the limit that is read here.
     */
    async #open(node: string): Promise<void> {

        const { add, requested, raiseFloor, raiseFence } = this.#sql;
        await this.#db.commit({ steps: [add.step({ node, now: this.#db.now() })], isRepeatable: true });
        const { floor = 0, fence = 0 } = await requested.first<Limits>({}) ?? {};
        await this.#db.commit({ steps: [raiseFloor.step({ node, to: floor, above: floor })], isRepeatable: true });
        await this.#db.commit({ steps: [raiseFence.step({ node, to: fence, above: fence })], isRepeatable: true });
    }

    async #ownRows(): Promise<NodeRow[]> {

        return (await this.#nodes()).filter(({ node }) => this.#rows.includes(node));
    }

    /**
     * Raises the floor. When it resolves, everything with a number up to the result is visible, and no more will be stored.
     *
     * @returns `floor`, or less while a node holds its row: the floor that the row had before
     */
    async raise(floor: number): Promise<number> {

        return await this.#raise('floor', floor);
    }

    /**
     * Prevents that anything is written later that was admitted before this epoch of types, by whatever process: what it computed is rejected.
     *
     * @throws Error while a node holds its row
     */
    async fence(epoch: number): Promise<void> {

        if (this.isNeeded && await this.#raise('fence', epoch) < epoch) {
            throw new Error('another node is in the middle of a transaction');
        }
    }

    /** Raises a limit of all rows, those that are added later included. Returns the lowest one, at most `value`. */
    async #raise(limit: Limit, value: number): Promise<number> {

        const { requested, requestFloor, requestFence } = this.#sql;
        const found = await requested.first<Limits>({});
        if ((found?.[limit] ?? 0) < value) {
            const statement = limit === 'floor' ? requestFloor : requestFence;
            await this.#db.commit({ steps: [statement.step({ to: value, above: value })], isRepeatable: true });
        }

        const behind = (await this.#nodes()).filter((each) => each[limit] < value);
        await resolvesWithin(Promise.all(behind.map((each) => this.#raiseRow(each, limit, value))), this.#timeoutMs);
        // A row that is still closed was added after the value was written, so it will not be opened below it.
        return (await this.#nodes()).reduce((lowest, each) => (each[limit] === CLOSED ? lowest : Math.min(lowest, each[limit])), value);
    }

    /** Raises a limit of a row. Never rejects; the row shows whether it succeeded. */
    #raiseRow({ node, made_on }: NodeRow, limit: Limit, value: number): Promise<void> {

        const key = `${limit} ${node}`;
        const running = this.#raising.get(key);
        if (running) {
            running.value = Math.max(running.value, value);
            return running.done;
        }

        const { raiseFloor, raiseFence, remove } = this.#sql;
        const statement = limit === 'floor' ? raiseFloor : raiseFence;
        const isOld = limit === 'floor' && made_on < this.#db.now() - RETENTION_MS && !this.#rows.includes(node);
        const work = async (): Promise<void> => {

            let raised: number;
            do {
                raised = raising.value;
                const step = isOld ? remove.step({ node, floor: raised }) : statement.step({ node, to: raised, above: raised });
                await this.#db.commit({ steps: [step], isRepeatable: true, essential: true });
            }
            while (raising.value > raised);
        };

        const raising = { value, done: Promise.resolve() };
        this.#raising.set(key, raising);
        raising.done = work().catch(() => {
            // Its node holds the lock for longer than the lock timeout of the database, or writes all the time on another server.
        }).finally(() => this.#raising.delete(key));
        return raising.done;
    }

    /** Returns the names of other nodes that have written, or were added, since a time; in milliseconds by the clock of the database. */
    async othersSince(time: number): Promise<string[]> {

        const others = this.isNeeded ? (await this.#nodes()).filter(({ node, made_on: madeOn }) => madeOn >= time && !this.#rows.includes(node)) : [];
        return [...new Set(others.map(({ node }) => node.replace(/#\d+$/, '')))];
    }

    async #nodes(): Promise<NodeRow[]> {

        return await this.#sql.nodes.read<NodeRow>({});
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    const raise = (limit: Limit) => build<'node' | 'to' | 'above'>((knex, bind) => knex('node_floors')
        .where('node', bind('node')).where(limit, '<', bind('above')).update({ [limit]: bind('to') }));
    const request = (limit: Limit) => build<'to' | 'above'>((knex, bind) => knex('number_floor')
        .where('id', 1).where(limit, '<', bind('above')).update({ [limit]: bind('to') }));
    return {
        requested: build<never>((knex) => knex('number_floor').where('id', 1).select('floor', 'fence')),
        requestFloor: request('floor'),
        requestFence: request('fence'),
        nodes: build((knex) => knex('node_floors').select('node', 'floor', 'fence', 'made_on').orderBy('node')),
        // Never writes what is there already, which Galera would not tell its other servers.
        pass: build<'node' | 'number' | 'epoch' | 'now'>((knex, bind) => knex('node_floors')
            .where('node', bind('node')).where('floor', '>', CLOSED).where('floor', '<', bind('number'))
            .where('fence', '>', CLOSED).where('fence', '<=', bind('epoch'))
            .update({ made_on: knex.raw('greatest(made_on + 1, ?)', [bind('now')]) })),
        add: build<'node' | 'now'>((knex, bind) => knex('node_floors')
            .insert({ node: bind('node'), floor: CLOSED, fence: CLOSED, made_on: bind('now') }).onConflict('node').ignore()),
        raiseFloor: raise('floor'),
        raiseFence: raise('fence'),
        remove: build<'node' | 'floor'>((knex, bind) => knex('node_floors').where('node', bind('node')).where('floor', '<', bind('floor')).delete())
    };
}
