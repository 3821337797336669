/** Writes documents of objects to an index of OpenSearch. Everything can be repeated. */

import { join } from 'node:path';
import type { Log } from '../../../db/log.js';
import type { RunningJob } from '../../jobs/job-kind.js';
import type { IndexSource } from '../mapping/document-source.js';
import type { IndexDocument } from '../mapping/index-document.js';
import { WorkerClient } from '../../util/workers/worker-client.js';
import { type BulkItem, deletion, encodeDocuments } from './bulk-lines.js';
import type { EncodeAnswers, EncodeCall } from './document-worker.js';
import type { EngineClient } from './engine-client.js';
import { EngineError, isBlocked, type ErrorCause } from './engine-error.js';
import { hasIndex, writeAlias } from './engine-indexes.js';

export interface EngineWriterParts {
    readonly client: EngineClient;
    readonly source: IndexSource;
    readonly log: Log;
}

/** Number of objects that are looked up together; no more than a list of a statement may have. */
const OBJECTS_PER_BATCH = 500;

/** Milliseconds that the engine may take to store a request. */
const BULK_MS = 60_000;

const [OK, UNAUTHENTICATED, FORBIDDEN, CONFLICT, MISSING, TOO_MANY, SERVER_ERROR] = [300, 401, 403, 409, 404, 429, 500];

interface ItemAnswer {
    readonly status: number;
    readonly error?: ErrorCause;
}

interface BulkAnswer {
    readonly errors: boolean;
    readonly items: readonly Readonly<Record<string, ItemAnswer>>[];
}

/** Throws when nothing may be written any more. */
type LeaseCheck = Pick<RunningJob, 'checkLease'>;

/** Where documents are written, and the position of the change log up to which they have all changes: that of another state is higher. */
export interface WriteTarget {
    readonly index: string;
    readonly version: number;
}

/**
 * Writes to one or more indexes. The version of a document is a position of the change log, so that what a stopped node writes late never replaces what
 * another one has written since. Transaction numbers would not do: they are by the clocks of nodes, and not every change has one.
 */
export class EngineWriter {

    readonly #parts: EngineWriterParts;
    #thread: WorkerClient<EncodeCall, EncodeAnswers> | null = null;

    constructor(parts: EngineWriterParts) {

        this.#parts = parts;
    }

    /** Stores the current state of objects; those that do not exist are removed. @throws EngineError */
    async apply(target: WriteTarget, ids: readonly string[], job: LeaseCheck): Promise<void> {

        const { source } = this.#parts;
        for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
            for (const batch of await source.portions(ids.slice(start, start + OBJECTS_PER_BATCH))) {
                const { documents, changing } = await source.byIds(batch);
                await this.store(target, documents, job);
                const found = new Set(documents.map(({ id }) => id));
                await this.#remove(target, batch.filter((id) => !found.has(id) && !changing.has(id)), job);
            }
        }
    }

    /** Stores documents, unless those of a later version are there. @throws EngineError */
    async store(target: WriteTarget, documents: readonly IndexDocument[], job: LeaseCheck): Promise<void> {

        if (documents.length === 0) {
            return;
        }

        for (const items of await this.#worker().call({ kind: 'encode', documents, version: target.version })) {
            job.checkLease();
            for (const id of await this.#bulk(target.index, items)) {
                await this.#storeWithoutTexts(target, documents.find((document) => document.id === id));
            }
        }
    }

    /** Ends the thread. */
    async close(): Promise<void> {

        await this.#thread?.terminate();
    }

    #worker(): WorkerClient<EncodeCall, EncodeAnswers> {

        this.#thread ??= new WorkerClient(join(__dirname, 'document-worker.js'), (error) => {

            this.#parts.log.error({ event: 'search.document-thread-exited', err: error }, 'document thread exited');
            this.#thread = null;
        });
        return this.#thread;
    }

    /** Deletions with a version make an index that is missing, unlike documents, for which an alias can be demanded. */
    async #remove({ index, version }: WriteTarget, ids: readonly string[], job: LeaseCheck): Promise<void> {

        if (ids.length > 0 && !await hasIndex(this.#parts.client, index)) {
            throw new EngineError('missing', `the index ${index} is missing`);
        }

        job.checkLease();
        await this.#bulk(index, ids.map((id) => deletion(id, version)));
    }

    /** Sends a request; returns the ids of objects whose documents the engine can never store. One that is too long for the engine is halved. */
    async #bulk(index: string, items: readonly BulkItem[]): Promise<string[]> {

        if (items.length === 0) {
            return [];
        }

        try {
            const answer = await this.#parts.client.send<BulkAnswer>({
                method: 'POST', path: `/${writeAlias(index)}/_bulk`, query: { require_alias: true }, lines: items.map(({ lines }) => lines).join(''), timeoutMs: BULK_MS
            });
            return answer.errors ? items.filter((_, i) => isRejected(Object.values(answer.items[i] ?? {})[0])).map(({ id }) => id) : [];
        }
        catch (error) {
            if (!(error instanceof EngineError) || error.failure !== 'too-long' && error.failure !== 'rejected') {
                throw error;
            }

            const half = Math.ceil(items.length / 2);
            return items.length === 1 ? items.map(({ id }) => id) :
                [...await this.#bulk(index, items.slice(0, half)), ...await this.#bulk(index, items.slice(half))];
        }
    }

    /** An object must not stop those behind it, so it is stored with its names only. */
    async #storeWithoutTexts({ index, version }: WriteTarget, document: IndexDocument | undefined): Promise<void> {

        if (!document) {
            return;
        }

        this.#parts.log.error({ event: 'search.document-refused', object: document.id }, 'the search engine refuses an object, which is found by its metadata only');
        const bare: IndexDocument = { ...document, content: {}, userMetadata: null, copies: [], elements: [] };
        const [items = []] = encodeDocuments([bare], version);
        if ((await this.#bulk(index, items)).length > 0) {
            this.#parts.log.error({ event: 'search.document-lost', object: document.id }, 'the search engine refuses even the metadata of an object, which is not found');
        }
    }
}

/** @throws EngineError for what may pass */
function isRejected(item: ItemAnswer | undefined): boolean {

    const { status, error } = item ?? { status: SERVER_ERROR, error: { type: 'no answer' } };
    if (status < OK || status === CONFLICT) {
        return false;
    }

    const said = JSON.stringify(error ?? null).slice(0, 500);
    if (status === TOO_MANY || status >= SERVER_ERROR) {
        throw new EngineError('unreachable', `the engine could not store a document: ${said}`);
    }

    if (status === UNAUTHENTICATED || status === FORBIDDEN || isBlocked(error)) {
        throw new EngineError('denied', `the index takes no documents: ${said}`);
    }

    if (status === MISSING) {
        if (error !== undefined) {
            throw new EngineError('missing', `the index is missing: ${said}`);
        }

        return false;
    }

    return true;
}
