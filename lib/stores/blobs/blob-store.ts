/**
 * Blobs: the bytes of elements, in any element store. Bytes are staged first; the unit that writes an object then links them, which
 * fails when they were removed. Links are counted, so that versions of an object share bytes. What is left, staged or unlinked, is
 * removed later by the {@link BlobSweeper}.
 */

import { createHash } from 'node:crypto';
import type { Database, Step } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { statements } from '../../../db/statements.js';
import { tooLarge, type DoipError } from '../../errors/errors.js';
import { abortable } from '../../util/streams/abortable.js';
import { BlobPins } from './blob-pins.js';
import { DEFAULT_STORE, hasAll } from './element-store.js';
import type { ByteRange, ElementStores } from './element-store.js';
import type { StoredElement } from '../../model/stored-object.js';

/** `failed` of a unit that links a blob which was removed. */
export const BLOB_DELETED = 'blob-gone';

/** Reference of an element to a blob. */
export type BlobRef = Pick<StoredElement, 'blobId' | 'store' | 'size'>;

/** Bytes that are stored, but not linked yet. */
export interface StagedBlob extends BlobRef {
    /** Lower-case hex; null unless requested. */
    readonly sha256: string | null;
    /** Removes the bytes; does nothing once they are linked. Never rejects. */
    discard(): Promise<void>;
}

/** Options of staging. */
export interface StageOptions {
    /** Maximum number of bytes; more is a 400 (413 over HTTP). */
    readonly maxBytes: number;
    /** Element store; default {@link DEFAULT_STORE}. */
    readonly store?: string;
    /** Compute the SHA-256. */
    readonly hash?: boolean;
    /** Aborts the staging, even while the body is stalled. */
    readonly signal?: AbortSignal;
    /** Who stores them; stores may limit what each gets. */
    readonly caller?: string | undefined;
}

export interface BlobStoreOptions {
    readonly log: Log;
    /** Epoch ms; by default by the clock of the database. */
    readonly now?: () => number;
    /** Heartbeat interval for staged blobs, in milliseconds; much shorter than the time after which the sweeper removes them. */
    readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 60_000;

/** Stages, links and reads blobs. */
export class BlobStore {

    /** Blobs that must not be swept. */
    readonly inUse = new BlobPins();
    readonly #database: Database;
    readonly #stores: ElementStores;
    readonly #options: Required<BlobStoreOptions>;
    readonly #sql: ReturnType<typeof buildStatements>;
    /** Unpins a blob that was neither linked nor discarded when nothing refers to it any more: its upload may have taken any time, but was abandoned. */
    readonly #abandoned = new FinalizationRegistry<number>((blobId) => this.inUse.release(blobId));
    #heartbeat: NodeJS.Timeout | null = null;

    constructor(database: Database, stores: ElementStores, options: BlobStoreOptions) {

        this.#database = database;
        this.#stores = stores;
        this.#options = { now: () => database.now(), heartbeatMs: HEARTBEAT_MS, ...options };
        this.#sql = buildStatements(database);
    }

    /**
     * Stores the bytes of a body. On any error nothing is left behind, and the body is closed.
     *
     * @throws DoipError 400 (413 over HTTP) when the body is longer than `maxBytes`; the error of the body; the reason of the
     * signal
     */
    async stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBlob> {

        const store = options.store ?? DEFAULT_STORE;
        const elementStore = this.#stores.get(store);
        const blobId = await this.#createRow(store);
        const meter = new Meter(options);
        try {
            await elementStore.write(blobId, meter.measure(body), options.caller);
        }
        catch (error) {
            await this.#discard(blobId, store);
            throw error;
        }

        const staged: StagedBlob = { blobId, store, size: meter.size, sha256: meter.digest(), discard: () => this.#discard(blobId, store) };
        this.#abandoned.register(staged, blobId);
        return staged;
    }

    /** Returns the steps that link a blob to an object; the unit fails with {@link BLOB_DELETED} when the blob was removed. */
    linkSteps(blob: Pick<BlobRef, 'blobId' | 'size'>): Step[] {

        const { blobId, size } = blob;
        return [this.#sql.link.step({ id: blobId, size }, { expect: { rows: 1, otherwise: BLOB_DELETED } })];
    }

    /** Returns the steps that unlink a blob from an object. The grace period starts now, by the clock of the database, as the sweeper may be on another node. */
    unlinkSteps(blobId: number): Step[] {

        return [this.#sql.unlink.step({ id: blobId, now: this.#options.now() })];
    }

    /** Returns whether a blob is linked, and all of its bytes are there as far as can be told without reading them. @throws DoipError 503 */
    async hasAll({ blobId, size }: BlobRef): Promise<boolean> {

        const found = await this.#sql.linked.first<{ store: string }>({ id: blobId });
        return found !== undefined && await hasAll(this.#stores.get(found.store), blobId, size);
    }

    /** Counts the blobs of objects and their bytes, up to a number of blobs. */
    async totals(limit: number): Promise<{ readonly count: number; readonly bytes: number }> {

        const { count = 0, bytes = 0 } = await this.#sql.totals.first<{ count: number; bytes: number | null }>({ limit }) ?? {};
        return { count: Number(count), bytes: Number(bytes ?? 0) };
    }

    /** Reads a blob, or a range of it, with at most one chunk of read-ahead. Throws a plain Error, possibly in mid-stream, when bytes are missing. */
    async *open(blob: BlobRef, range: ByteRange = { start: 0, end: blob.size - 1 }): AsyncGenerator<Uint8Array> {

        const { blobId, store, size } = blob;
        if (size === 0) {
            return;
        }

        if (range.start < 0 || range.end < range.start || range.end >= size) {
            throw new RangeError(`blob ${blobId} has ${size} bytes, there is no range ${range.start} to ${range.end}`);
        }

        const done = this.inUse.read(blobId);
        let position = range.start;
        try {
            for await (const bytes of this.#stores.get(store).read(blobId, range, size)) {
                position += bytes.byteLength;
                yield bytes;
            }
        }
        catch (error) {
            const current = await this.#storeOf(blobId);
            if (current !== null) {
                this.#stores.need(current);
            }

            // It may have been moved after the reference to it was read.
            if (current === null || current === store) {
                throw error;
            }

            yield *this.#stores.get(current).read(blobId, { start: position, end: range.end }, size);
        }
        finally {
            done();
        }
    }

    /** Returns the store of a blob; null when it has no row any more. */
    async #storeOf(blobId: number): Promise<string | null> {

        return (await this.#sql.store.first<{ store: string }>({ id: blobId }))?.store ?? null;
    }

    /** Stops the heartbeat of staged blobs. */
    close(): void {

        clearInterval(this.#heartbeat ?? undefined);
        this.#heartbeat = null;
    }

    async #createRow(store: string): Promise<number> {

        const now = this.#options.now();
        // A second row, where the response to the first was lost, is without bytes, and is swept.
        const result = await this.#database.commit({ steps: [this.#sql.create.step({ store, now })], isRepeatable: true });
        const blobId = result.ok ? result.steps[0]?.insertId ?? 0 : 0;
        if (blobId === 0) {
            throw new Error('the database gave no number to a blob');
        }

        this.inUse.hold(blobId);
        this.#heartbeat ??= setInterval(() => void this.#touch(), this.#options.heartbeatMs).unref();
        return blobId;
    }

    /**
     * Deletes the row first, after which the blob cannot be linked. Never rejects: the caller has an error of its own to report,
     * and the sweep finds what is left.
     */
    async #discard(blobId: number, store: string): Promise<void> {

        try {
            const result = await this.#database.commit({ steps: [this.#sql.discard.step({ id: blobId })], essential: true });
            if (result.ok && result.steps[0]?.rows === 1) {
                await this.#stores.get(store).remove(blobId);
            }
        }
        catch (error) {
            this.#options.log.warn({ event: 'blob.delete-failed', err: error, blobId }, 'failed to delete unreferenced blob, left to the sweeper');
        }
        finally {
            this.inUse.release(blobId);
        }
    }

    /** Heartbeat: updates the time of staged blobs, and unpins those that were linked meanwhile. */
    async #touch(): Promise<void> {

        const now = this.#options.now();
        const pinned = this.inUse.staged;
        if (pinned.length === 0) {
            this.close();
            return;
        }

        try {
            const result = await this.#database.commit({ steps: pinned.map((id) => this.#sql.touch.step({ id, now })), essential: true });
            pinned.filter((_, index) => result.ok && result.steps[index]?.rows === 0).forEach((id) => this.inUse.release(id));
        }
        catch (error) {
            this.#options.log.warn({ event: 'blob.renew-failed', err: error, blobs: pinned.length }, 'failed to renew staged blobs');
        }
    }
}

/** Returns a DoipError 413 for an element that exceeds the limit. */
export function elementTooLong(maxBytes: number): DoipError {

    return tooLarge(`the element is longer than the allowed ${maxBytes} bytes`);
}

/** Counts, limits and hashes the bytes of a stream, and aborts it by a signal. */
class Meter {

    size = 0;
    readonly #maxBytes: number;
    readonly #signal: AbortSignal | undefined;
    readonly #hash: ReturnType<typeof createHash> | null;

    constructor({ maxBytes, hash, signal }: StageOptions) {

        this.#maxBytes = maxBytes;
        this.#hash = hash ? createHash('sha256') : null;
        this.#signal = signal;
    }

    async *measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const chunk of this.#signal ? abortable(body, this.#signal) : body) {
            this.size += chunk.byteLength;
            if (this.size > this.#maxBytes) {
                throw elementTooLong(this.#maxBytes);
            }

            this.#hash?.update(chunk);
            yield chunk;
        }
    }

    digest(): string | null {

        return this.#hash?.digest('hex') ?? null;
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        create: build<'store' | 'now'>((knex, bind) => knex('blobs').insert({
            store: bind('store'), state: 'staged', created_on: bind('now'), touched_on: bind('now')
        })),
        store: build<'id'>((knex, bind) => knex('blobs').where('id', bind('id')).select('store')),
        linked: build<'id'>((knex, bind) => knex('blobs').where('id', bind('id')).where('links', '>', 0).select('store')),
        touch: build<'id' | 'now'>((knex, bind) => {

            return knex('blobs').update({ touched_on: bind('now') }).where({ id: bind('id'), state: 'staged' });
        }),
        discard: build<'id'>((knex, bind) => knex('blobs').delete().where({ id: bind('id'), state: 'staged' })),
        link: build<'id' | 'size'>((knex, bind) => knex('blobs').where({ id: bind('id') }).update({
            state: 'linked', size: bind('size'), links: knex.raw('links + 1'), unlinked_on: null
        })),
        totals: build<'limit'>((knex, bind) => knex(knex('blobs').where('links', '>', 0).limit(bind('limit')).select('size').as('some'))
            .count('* as count').sum('size as bytes')),
        // MySQL evaluates the assignments in order: the time has to be computed from the links before they are decremented.
        unlink: build<'id' | 'now'>((knex, bind) => knex.raw(
            'update blobs set unlinked_on = case when links = 1 then ? else unlinked_on end, links = links - 1 ' +
                'where id = ? and links > 0', [bind('now'), bind('id')]
        ))
    };
}
