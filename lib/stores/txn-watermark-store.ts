/**
 * Low watermark (floor) of transaction numbers where several nodes share a database: once it was raised, no node stores anything
 * with a number up to it. Each node has a few rows, and every unit with a number changes one of them, if its floor is below the number. So
 * raising a row waits for the unit that is being written, or makes it fail, and later ones see it; other nodes do not wait. Rows are changed
 * rather than locked for reading, because of a change all servers of a cluster know.
 */

import { SLOTS, type Database, type Precondition } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import { resolvesWithin } from '../util/concurrency/timeout.js';

/** `failed` of a unit whose number is not above the floor. */
export const BELOW_WATERMARK = 'number:passed';

/** Milliseconds that raising the floor waits for a node that holds its row, because it was stopped or is slow. */
const TIMEOUT_MS = 2000;

/** Milliseconds since the last write of a node after which its rows are deleted; when it writes again, it adds them again. */
const RETENTION_MS = 7 * 86_400_000;

/** Floor of a row that is not open yet: no unit is written with it. */
const CLOSED = -1;

interface NodeFloor {
    readonly node: string;
    readonly floor: number;
    readonly made_on: number;
}

export class TxnWatermarkStore {

    readonly #db: Database;
    /** Keys of the rows of this node. */
    readonly #rows: readonly string[];
    readonly #sql: ReturnType<typeof buildStatements>;
    readonly #timeoutMs: number;
    /** Rows that are being raised, and to which floor: for a locked row only one connection waits. */
    readonly #raising = new Map<string, { floor: number; done: Promise<void> }>();

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

    /** False where only this process writes, and knows its numbers: then there is no floor. */
    get isNeeded(): boolean {

        return this.#db.dialect === 'mysql';
    }

    /** Returns the precondition of a unit that stores an object with a number; undefined where there is no floor. */
    precondition(number: number): Precondition | undefined {

        if (!this.isNeeded) {
            return undefined;
        }

        const { pass } = this.#sql;
        const now = Date.now();
        return { statement: pass, slots: this.#rows.map((node) => pass.values({ node, number, now })), number, otherwise: BELOW_WATERMARK };
    }

    /** Ensures that this node has its rows, without which nothing is stored, and returns the highest of their floors. */
    async renew(): Promise<number> {

        if (!this.isNeeded) {
            return 0;
        }

        const found = await this.#ownFloors();
        const missing = this.#rows.filter((node) => (found.get(node) ?? CLOSED) === CLOSED);
        if (missing.length > 0) {
            await Promise.all(missing.map((node) => this.#open(node)));
        }

        return Math.max(0, ...(missing.length > 0 ? await this.#ownFloors() : found).values());
    }

    /**
     * Adds a row, or completes one that was added. The statements need no transaction: a concurrent raise finds the closed row, and opens it
     * with its own floor, or has already written the floor that is read here.
     */
    async #open(node: string): Promise<void> {

        const { add, requested, open } = this.#sql;
        await this.#db.commit({ steps: [add.step({ node, now: Date.now() })], isRepeatable: true });
        const floor = (await requested.first<{ floor: number }>({}))?.floor ?? 0;
        await this.#db.commit({ steps: [open.step({ node, floor })], isRepeatable: true });
    }

    async #ownFloors(): Promise<Map<string, number>> {

        return new Map((await this.#nodes()).filter(({ node }) => this.#rows.includes(node)).map(({ node, floor }) => [node, floor]));
    }

    /**
     * Raises the floor. When it resolves, everything with a number up to the result is visible, and no more will be stored.
     *
     * @returns `floor`, or less while a node holds its row: the floor that the row had before
     */
    async raise(floor: number): Promise<number> {

        const { raiseRequested } = this.#sql;
        const found = await this.#sql.requested.first<{ floor: number }>({});
        if ((found?.floor ?? 0) < floor) {
            await this.#db.commit({ steps: [raiseRequested.step({ floor, above: floor })], isRepeatable: true });
        }

        const behind = (await this.#nodes()).filter((each) => each.floor < floor);
        await resolvesWithin(Promise.all(behind.map((each) => this.#raiseRow(each, floor))), this.#timeoutMs);
        // A row that is still closed was added after the floor was written, so it will not be opened below it.
        return (await this.#nodes()).reduce((lowest, each) => (each.floor === CLOSED ? lowest : Math.min(lowest, each.floor)), floor);
    }

    /**
     * Prevents that anything is stored later with a number up to this one, by whatever process: what it computed is rejected, and computed again.
     *
     * @throws Error while a node holds its row
     */
    async fence(number: number): Promise<void> {

        if (this.isNeeded && await this.raise(number) < number) {
            throw new Error('another node holds its transaction numbers');
        }
    }

    /** Raises a row. Never rejects; the floor of the row shows whether it succeeded. */
    #raiseRow({ node, made_on }: NodeFloor, floor: number): Promise<void> {

        const running = this.#raising.get(node);
        if (running) {
            running.floor = Math.max(running.floor, floor);
            return running.done;
        }

        const { raiseNode, remove } = this.#sql;
        const isOld = made_on < Date.now() - RETENTION_MS && !this.#rows.includes(node);
        const work = async (): Promise<void> => {

            let raised: number;
            do {
                raised = raising.floor;
                const step = isOld ? remove.step({ node, floor: raised }) : raiseNode.step({ node, floor: raised, above: raised });
                await this.#db.commit({ steps: [step], isRepeatable: true, essential: true });
            }
            while (raising.floor > raised);
        };

        const raising = { floor, done: Promise.resolve() };
        this.#raising.set(node, raising);
        raising.done = work().catch(() => {
            // Its node holds the lock for longer than the lock timeout of the database, or writes all the time on another server.
        }).finally(() => this.#raising.delete(node));
        return raising.done;
    }

    async #nodes(): Promise<NodeFloor[]> {

        return await this.#sql.nodes.read<NodeFloor>({});
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        requested: build<never>((knex) => knex('number_floor').where('id', 1).select('floor')),
        raiseRequested: build<'floor' | 'above'>((knex, bind) => knex('number_floor').where('id', 1).where('floor', '<', bind('above'))
            .update({ floor: bind('floor') })),
        nodes: build((knex) => knex('node_floors').select('node', 'floor', 'made_on').orderBy('node')),
        // Never writes what is there already, which Galera would not tell its other servers.
        pass: build<'node' | 'number' | 'now'>((knex, bind) => knex('node_floors')
            .where('node', bind('node')).where('floor', '>', CLOSED).where('floor', '<', bind('number'))
            .update({ made_on: knex.raw('greatest(made_on + 1, ?)', [bind('now')]) })),
        add: build<'node' | 'now'>((knex, bind) => knex('node_floors')
            .insert({ node: bind('node'), floor: CLOSED, made_on: bind('now') }).onConflict('node').ignore()),
        open: build<'node' | 'floor'>((knex, bind) => knex('node_floors').where({ node: bind('node'), floor: CLOSED }).update({ floor: bind('floor') })),
        raiseNode: build<'node' | 'floor' | 'above'>((knex, bind) => knex('node_floors').where('node', bind('node')).where('floor', '<', bind('above'))
            .update({ floor: bind('floor') })),
        remove: build<'node' | 'floor'>((knex, bind) => knex('node_floors').where('node', bind('node')).where('floor', '<', bind('floor')).delete())
    };
}
