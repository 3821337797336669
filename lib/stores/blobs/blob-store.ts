/**
 * Blobs: the bytes of elements, whichever element store keeps them. Bytes are staged first; the unit that writes an object
 * then links them, which fails when they are gone. Links are counted, so versions of an object share their bytes. What is
 * left over, staged or unlinked, is removed later by the {@link BlobSweeper}.
 */

import { createHash } from 'node:crypto';
import type { Database, Step } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { statements } from '../../../db/statements.js';
import { tooLarge, type DoipError } from '../../errors/errors.js';
import { BlobPins } from './blob-pins.js';
import { DEFAULT_STORE } from './element-store.js';
import type { ByteRange, ElementStores } from './element-store.js';

/** What a unit fails with when it links a blob that has been swept away. */
export const BLOB_GONE = 'blob-gone';

/** A blob as elements refer to it. */
export interface BlobRef {
    readonly blobId: number;
    /** Name of its element store. */
    readonly store: string;
    /** Bytes. */
    readonly size: number;
}

/** Bytes that are stored and belong to nothing yet. */
export interface StagedBlob extends BlobRef {
    /** Lower-case hex, when asked for. */
    readonly sha256: string | null;
    /** Takes the bytes back; does nothing once they are linked. Never rejects. */
    discard(): Promise<void>;
}

export interface StageOptions {
    /** Most bytes; one more is a 400 (413 over HTTP). */
    readonly maxBytes: number;
    /** Element store to use; default {@link DEFAULT_STORE}. */
    readonly store?: string;
    /** Whether to compute the SHA-256. */
    readonly hash?: boolean;
    /** Ends the staging, also when the body has stalled. */
    readonly signal?: AbortSignal;
}

export interface BlobStoreOptions {
    readonly log: Log;
    /** Epoch ms. */
    readonly now?: () => number;
    /** How often staged blobs are marked as still wanted; far less than the sweeper's patience. */
    readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 60_000;

/** After this time whoever staged a blob is taken for dead. */
const MAX_PIN_MS = 24 * 60 * 60 * 1000;

/** Stages, links and opens blobs. */
export class BlobStore {

    /** Blobs that must not be swept now. */
    readonly inUse = new BlobPins();
    readonly #database: Database;
    readonly #stores: ElementStores;
    readonly #options: Required<BlobStoreOptions>;
    readonly #sql: ReturnType<typeof buildStatements>;
    #heartbeat: NodeJS.Timeout | null = null;

    constructor(database: Database, stores: ElementStores, options: BlobStoreOptions) {

        this.#database = database;
        this.#stores = stores;
        this.#options = { now: Date.now, heartbeatMs: HEARTBEAT_MS, ...options };
        this.#sql = buildStatements(database);
    }

    /**
     * Stores the bytes of a body. Whatever fails, nothing is left behind, and the body is closed.
     *
     * @throws DoipError 400 (413 over HTTP) when the body is longer than `maxBytes`; the body's own error; the signal's reason
     */
    async stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBlob> {

        const store = options.store ?? DEFAULT_STORE;
        const elementStore = this.#stores.get(store);
        const blobId = await this.#createRow(store);
        const meter = new Meter(options);
        try {
            await elementStore.write(blobId, meter.measure(body));
        }
        catch (error) {
            await this.#discard(blobId, store);
            throw error;
        }

        return { blobId, store, size: meter.size, sha256: meter.digest(), discard: () => this.#discard(blobId, store) };
    }

    /** Steps that make an object's unit use a blob, staged or in use by others; fails with {@link BLOB_GONE}. */
    linkSteps(blob: Pick<BlobRef, 'blobId' | 'size'>): Step[] {

        const { blobId, size } = blob;
        return [this.#sql.link.step({ id: blobId, size }, { expect: { rows: 1, otherwise: BLOB_GONE } })];
    }

    /** Steps that make an object's unit let go of a blob; `now` is the time (epoch ms) from which the grace period counts. */
    unlinkSteps(blobId: number, now: number): Step[] {

        return [this.#sql.unlink.step({ id: blobId, now })];
    }

    /**
     * The bytes of a blob, or of a range of it. Reads what is asked for and at most one chunk ahead. It fails with a plain
     * Error, in mid-stream if need be, when bytes are missing.
     */
    async *open(blob: BlobRef, range: ByteRange = { start: 0, end: blob.size - 1 }): AsyncGenerator<Uint8Array> {

        const { blobId, store, size } = blob;
        if (size === 0) {
            return;
        }

        if (range.start < 0 || range.end < range.start || range.end >= size) {
            throw new RangeError(`blob ${blobId} has ${size} bytes, there is no range ${range.start} to ${range.end}`);
        }

        const done = this.inUse.read(blobId);
        try {
            yield *this.#stores.get(store).read(blobId, range, size);
        }
        finally {
            done();
        }
    }

    /** Stops marking staged blobs as wanted. */
    close(): void {

        clearInterval(this.#heartbeat ?? undefined);
        this.#heartbeat = null;
    }

    async #createRow(store: string): Promise<number> {

        const now = this.#options.now();
        const result = await this.#database.commit({ steps: [this.#sql.create.step({ store, now })] });
        const blobId = result.ok ? result.steps[0]?.insertId ?? 0 : 0;
        if (blobId === 0) {
            throw new Error('the database gave no number to a blob');
        }

        this.inUse.hold(blobId, now);
        this.#heartbeat ??= setInterval(() => void this.#touch(), this.#options.heartbeatMs).unref();
        return blobId;
    }

    /**
     * The row goes first: from then on nobody can link the blob. Never rejects: whoever lets go of bytes has other things to tell, and
     * the sweep finds what stayed.
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

    /** Marks what is staged as still wanted, and forgets what has been linked meanwhile. */
    async #touch(): Promise<void> {

        const now = this.#options.now();
        const held = this.inUse.heldSince(now - MAX_PIN_MS);
        if (held.length === 0) {
            this.close();
            return;
        }

        try {
            const result = await this.#database.commit({ steps: held.map((id) => this.#sql.touch.step({ id, now })), essential: true });
            held.filter((_, index) => result.ok && result.steps[index]?.rows === 0).forEach((id) => this.inUse.release(id));
        }
        catch (error) {
            this.#options.log.warn({ event: 'blob.renew-failed', err: error, blobs: held.length }, 'failed to renew staged blobs');
        }
    }
}

/** 413: an element has more bytes than one may have. */
export function elementTooLong(maxBytes: number): DoipError {

    return tooLarge(`the element is longer than the allowed ${maxBytes} bytes`);
}

/** Counts, limits and hashes bytes on their way, and ends when a signal fires. */
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

        for await (const piece of this.#signal ? abortable(body, this.#signal) : body) {
            this.size += piece.byteLength;
            if (this.size > this.#maxBytes) {
                throw elementTooLong(this.#maxBytes);
            }

            this.#hash?.update(piece);
            yield piece;
        }
    }

    digest(): string | null {

        return this.#hash?.digest('hex') ?? null;
    }
}

/** What waits for a signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal fires, until it is told to forget that. A batch stores many bodies at a time under the signal of one
 * request: they share one listener.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {

    let callbacks = waiting.get(signal);
    if (!callbacks) {
        const all = callbacks = new Set<() => void>();
        waiting.set(signal, all);
        signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
    }

    callbacks.add(callback);
    return () => callbacks.delete(callback);
}

/** The same pieces; when the signal fires the sequence ends with its reason at once, even if the source never answers again. */
async function *abortable(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {

    const iterator = source[Symbol.asyncIterator]();
    let giveUp = (_reason: unknown): void => {};
    // Each piece is awaited by a promise of its own: `Promise.race` with one for the signal would keep every piece in memory.
    const next = (): Promise<IteratorResult<Uint8Array>> => new Promise((resolve, reject) => {

        giveUp = reject;
        iterator.next().then(resolve, reject);
    });
    const fire = (): void => giveUp(signal.reason);
    const forget = onAbort(signal, fire);
    let ended = false;
    try {
        for (;;) {
            signal.throwIfAborted();
            const piece = await next();
            if (piece.done === true) {
                ended = true;
                return;
            }

            yield piece.value;
        }
    }
    finally {
        forget();
        if (!ended) {
            // Not awaited: a stalled source would answer this only after the next piece, that is never.
            iterator.return?.().catch(() => {
                // The error that matters is the one that ends the sequence.
            });
        }
    }
}

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        create: build<'store' | 'now'>((knex, bind) => knex('blobs').insert({
            store: bind('store'), state: 'staged', created_on: bind('now'), touched_on: bind('now')
        })),
        touch: build<'id' | 'now'>((knex, bind) => {

            return knex('blobs').update({ touched_on: bind('now') }).where({ id: bind('id'), state: 'staged' });
        }),
        discard: build<'id'>((knex, bind) => knex('blobs').delete().where({ id: bind('id'), state: 'staged' })),
        link: build<'id' | 'size'>((knex, bind) => knex('blobs').where({ id: bind('id') }).update({
            state: 'linked', size: bind('size'), links: knex.raw('links + 1'), unlinked_on: null
        })),
        // MySQL computes the assignments one after the other: the time must look at the links before they are counted down.
        unlink: build<'id' | 'now'>((knex, bind) => knex.raw(
            'update blobs set unlinked_on = case when links = 1 then ? else unlinked_on end, links = links - 1 ' +
                'where id = ? and links > 0', [bind('now'), bind('id')]
        ))
    };
}
