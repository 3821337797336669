/**
 * Low watermark (floor) of transaction numbers where several nodes share a database: once it was raised, no node stores anything
 * with a number up to it. Each node has a row, which every unit with a number reads under a shared lock. So raising a row waits for
 * the units of its node that are being written, and later ones see it; other nodes do not wait. This relies on the locks of one
 * database server: a cluster of servers that all accept writes does not share them.
 */

import type { Database, Precondition } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import { resolvesWithin } from '../util/concurrency/timeout.js';

/** `failed` of a unit whose number is not above the floor. */
export const BELOW_WATERMARK = 'number:passed';

/** Milliseconds that raising the floor waits for a node that holds its row, because it was stopped or is slow. */
const TIMEOUT_MS = 2000;

/** Milliseconds after which rows are deleted; a node that still writes inserts its row again. */
const RETENTION_MS = 7 * 86_400_000;

interface NodeFloor {
    readonly node: string;
    readonly floor: number;
    readonly made_on: number;
}

export class TxnWatermarkStore {

    readonly #db: Database;
    readonly #node: string;
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
        this.#node = node;
        this.#sql = buildStatements(db);
        this.#timeoutMs = timeoutMs;
    }

    /** False where only this process writes, and knows its numbers: then there is no floor. */
    get isNeeded(): boolean {

        return this.#db.dialect === 'mysql';
    }

    /** Returns the precondition of a unit that stores an object with a number; undefined where there is no floor. */
    precondition(number: number): Precondition | undefined {

        const { hold } = this.#sql;
        return this.isNeeded ? { statement: hold, bindings: hold.values({ node: this.#node }), number, otherwise: BELOW_WATERMARK } : undefined;
    }

    /** Ensures that this node has its row, without which nothing is stored, and returns its floor. */
    async renew(): Promise<number> {

        if (!this.isNeeded) {
            return 0;
        }

        const ownFloor = async (): Promise<number | undefined> => (await this.#nodes()).find(({ node }) => node === this.#node)?.floor;
        const found = await ownFloor();
        if (found !== undefined) {
            return found;
        }

        // A concurrent raise either finds the new row, or has already raised the floor that it starts with.
        await this.#db.commit({ steps: [this.#sql.add.step({ node: this.#node, now: Date.now() })], isRepeatable: true });
        return await ownFloor() ?? 0;
    }

    /**
     * Raises the floor. When it resolves, everything with a number up to the result is visible, and no more will be stored.
     *
     * @returns `floor`, or less while a node holds its row: the floor that the row had before
     */
    async raise(floor: number): Promise<number> {

        const { raiseAsked: raiseRequested } = this.#sql;
        const found = await this.#sql.asked.first<{ floor: number }>({});
        if ((found?.floor ?? 0) < floor) {
            await this.#db.commit({ steps: [raiseRequested.step({ floor, above: floor })], isRepeatable: true });
        }

        const behind = (await this.#nodes()).filter((each) => each.floor < floor);
        await resolvesWithin(Promise.all(behind.map((each) => this.#raiseRow(each, floor))), this.#timeoutMs);
        return (await this.#nodes()).reduce((lowest, each) => Math.min(lowest, each.floor), floor);
    }

    /** Raises a row. Never rejects; the floor of the row shows whether it succeeded. */
    #raiseRow({ node, made_on }: NodeFloor, floor: number): Promise<void> {

        const running = this.#raising.get(node);
        if (running) {
            running.floor = Math.max(running.floor, floor);
            return running.done;
        }

        const { raiseNode, remove } = this.#sql;
        const isOld = made_on < Date.now() - RETENTION_MS && node !== this.#node;
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
            // Its node holds the lock for longer than the lock timeout of the database.
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
        asked: build<never>((knex) => knex('number_floor').where('id', 1).select('floor')),
        raiseAsked: build<'floor' | 'above'>((knex, bind) => knex('number_floor').where('id', 1).where('floor', '<', bind('above'))
            .update({ floor: bind('floor') })),
        nodes: build((knex) => knex('node_floors').select('node', 'floor', 'made_on').orderBy('node')),
        hold: build<'node'>((knex, bind) => knex.raw('select floor from node_floors where node = ? lock in share mode', [bind('node')])),
        add: build<'node' | 'now'>((knex, bind) => knex.raw(
            'insert ignore into node_floors (node, floor, made_on) select ?, floor, ? from number_floor where id = 1 lock in share mode',
            [bind('node'), bind('now')])),
        raiseNode: build<'node' | 'floor' | 'above'>((knex, bind) => knex('node_floors').where('node', bind('node')).where('floor', '<', bind('above'))
            .update({ floor: bind('floor') })),
        remove: build<'node' | 'floor'>((knex, bind) => knex('node_floors').where('node', bind('node')).where('floor', '<', bind('floor')).delete())
    };
}
