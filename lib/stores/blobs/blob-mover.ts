/**
 * Moves the bytes of payloads to another element store while they are in use. A blob is copied, the copy is read back and compared, then the row
 * of the blob names the other store, and the former bytes are removed; readers with an older reference find the new ones.
 */

import { createHash, type Hash } from 'node:crypto';
import type { Database, Step } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import { unavailable } from '../../errors/errors.js';
import { copyTo, DamagedBlobError, type ElementStores, hasAll, removeAll } from './element-store.js';

/** A payload whose blob, or whose reference, names the store to be left. */
export interface MovablePayload {
    readonly objectId: string;
    readonly name: string;
    /** What the reference names: it may be older than the row of the blob, as objects are written with what they were read with. */
    readonly store: string;
    readonly blobId: number;
    readonly size: number;
    /** Lower-case hex SHA-256 from when it was stored, if it was computed. */
    readonly hash: string | null;
}

/** The last payload that was looked at. */
export interface MovePosition {
    readonly objectId: string;
    readonly name: string;
}

/** Payloads to be moved. */
export interface MovePage {
    readonly payloads: readonly MovablePayload[];
    /** The last one that was looked at. */
    readonly end: MovePosition;
    readonly isLast: boolean;
}

/** Which way. */
export interface MoveRoute {
    readonly from: string;
    readonly to: string;
}

/** The bytes in the store to be left are not as they were stored. */
export class DamagedSourceError extends Error {}

const NOT_YET = 'the store that is left removes nothing yet, as another copy of this repository may use it';
const RETRY_SECONDS = 60;

/** Payloads of a page, and how many are looked at for it: most of them may have been moved. */
const PAYLOADS_PER_PAGE = 100;
const ROWS_PER_PAGE = 500;

/** Moves blobs one by one. */
export class BlobMover {

    readonly #stores: ElementStores;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database, stores: ElementStores) {

        this.#stores = stores;
        this.#sql = buildStatements(db);
    }

    /** Demands that the store to be left removes what has left it, which otherwise would stay there. @throws DoipError 503 */
    async demandRemovals({ from }: MoveRoute): Promise<void> {

        if (await this.#stores.get(from).prepareSweep?.() === false) {
            throw unavailable(NOT_YET, RETRY_SECONDS);
        }
    }

    /**
     * Looks at the next payloads in the order of objects and names after a position, and returns those that are to be moved, at most 100. Those whose blob
     * has the other store are among them until their reference has it.
     */
    async page({ from }: MoveRoute, after: MovePosition): Promise<MovePage> {

        const rows = await this.#sql.page.read<PayloadRow>({ objectId: after.objectId, sameId: after.objectId, name: after.name });
        const movable = rows.filter(({ store, current }) => store === from || current === from).slice(0, PAYLOADS_PER_PAGE);
        const last = (movable.length === PAYLOADS_PER_PAGE ? movable : rows).at(-1);
        return {
            payloads: movable.map(({ object_id: objectId, blob_id: blobId, name, store, size, hash }) => ({ objectId, name, store, blobId, size, hash })),
            end: last ? { objectId: last.object_id, name: last.name } : after,
            isLast: movable.length < PAYLOADS_PER_PAGE && rows.length < ROWS_PER_PAGE
        };
    }

    /** Returns the store of a linked blob; null when it is no longer linked. */
    async storeOf(blobId: number): Promise<string | null> {

        return (await this.#sql.store.first<{ store: string }>({ id: blobId }))?.store ?? null;
    }

    /**
     * Copies a blob and reads the copy back. What an incomplete copy leaves is overwritten by the next one, or removed with the blob by the sweeper.
     * Returns steps for the unit that makes it a blob of the other store.
     *
     * @throws DamagedSourceError when the bytes were damaged before
     */
    async copy({ blobId, size, hash }: MovablePayload, { from, to }: MoveRoute, signal: AbortSignal): Promise<readonly Step[]> {

        if (size === 0) {
            return [];
        }

        const range = { start: 0, end: size - 1 };
        const sent = createHash('sha256');
        const copy = await copyTo(this.#stores.get(to), blobId, hashed(sourceOf(this.#stores.get(from).read(blobId, range, size)), sent, signal));
        const expected = sent.digest('hex');
        if (hash !== null && hash !== expected) {
            throw new DamagedSourceError(`blob ${blobId} is damaged: it has another hash than when it was stored`);
        }

        const received = createHash('sha256');
        for await (const chunk of hashed(copy.read(range, size), received, signal)) {
            void chunk;
        }

        if (received.digest('hex') !== expected) {
            throw new Error(`the copy of blob ${blobId} in ${to} differs`);
        }

        return copy.steps;
    }

    /** Returns whether a store has all bytes of a payload, as far as can be told without reading them. */
    async hasAll(store: string, { blobId, size }: MovablePayload): Promise<boolean> {

        return await hasAll(this.#stores.get(store), blobId, size);
    }

    /** Returns the step that makes a blob one of the store again that it was moved from. */
    returnStep({ blobId }: MovablePayload, { from, to }: MoveRoute): Step {

        return this.#sql.switchBlob.step({ id: blobId, from: to, to: from });
    }

    /** Removes what is left of a blob that was moved, linked or not; ends when it is moved back meanwhile. */
    async remove({ from, to }: MoveRoute, blobId: number): Promise<void> {

        const isNeeded = async (): Promise<boolean> => (await this.#sql.row.first<{ store: string }>({ id: blobId }))?.store === from;
        await removeAll(this.#stores.get(from), blobId, { hasRow: true, movedTo: to, isNeeded });
    }

    /**
     * Returns the steps that make a blob one of the other store, unless it was unlinked meanwhile. The reference names the former one until
     * {@link referSteps}.
     */
    switchSteps({ objectId, name, blobId, store }: MovablePayload, { from, to }: MoveRoute): Step[] {

        const listed = store === from ? [] : [this.#sql.switchPayload.step({ objectId, name, blobId, store: from, current: to })];
        return [this.#sql.switchBlob.step({ id: blobId, from, to }), ...listed];
    }

    /** Returns the steps that correct the reference of a payload when its former bytes were removed. */
    referSteps({ objectId, name, blobId }: MovablePayload, { to }: MoveRoute): Step[] {

        return [this.#sql.switchPayload.step({ objectId, name, blobId, store: to, current: to })];
    }
}

/** Tells damage of the source from that of the target. */
async function *sourceOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

    try {
        yield *body;
    }
    catch (error) {
        throw error instanceof DamagedBlobError ? new DamagedSourceError(error.message, { cause: error }) : error;
    }
}

async function *hashed(body: AsyncIterable<Uint8Array>, hash: Hash, signal: AbortSignal): AsyncGenerator<Uint8Array> {

    for await (const chunk of body) {
        signal.throwIfAborted();
        hash.update(chunk);
        yield chunk;
    }
}

interface PayloadRow {
    readonly object_id: string;
    readonly name: string;
    readonly store: string;
    readonly blob_id: number;
    readonly size: number;
    readonly hash: string | null;
    readonly current: string | null;
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        page: build<'objectId' | 'sameId' | 'name'>((knex, bind) => knex('payloads as p').leftJoin('blobs as b', 'b.id', 'p.blob_id')
            .select('p.object_id', 'p.name', 'p.store', 'p.blob_id', 'p.size', 'p.hash', 'b.store as current')
            .whereRaw('(p.object_id > ? or p.object_id = ? and p.name > ?)', [bind('objectId'), bind('sameId'), bind('name')])
            .orderBy(['p.object_id', 'p.name']).limit(ROWS_PER_PAGE)),
        row: build<'id'>((knex, bind) => knex('blobs').where('id', bind('id')).select('store')),
        store: build<'id'>((knex, bind) => knex('blobs').where('id', bind('id')).where('links', '>', 0).select('store')),
        switchBlob: build<'id' | 'from' | 'to'>((knex, bind) => knex('blobs').where('id', bind('id')).where('store', bind('from')).where('links', '>', 0)
            .update({ store: bind('to') })),
        switchPayload: build<'objectId' | 'name' | 'blobId' | 'store' | 'current'>((knex, bind) => knex('payloads')
            .where('object_id', bind('objectId')).where('name', bind('name')).where('blob_id', bind('blobId'))
            .whereExists(knex('blobs').select('id').whereRaw('blobs.id = payloads.blob_id').where('blobs.store', bind('current')))
            .update({ store: bind('store') }))
    };
}
