/** Writes documents of objects to an index of OpenSearch. Everything can be repeated. */

import { join } from 'node:path';
import type { Log } from '../../../db/log.js';
import type { IndexSource } from '../mapping/document-source.js';
import type { IndexDocument } from '../mapping/index-document.js';
import { WorkerClient } from '../../util/workers/worker-client.js';
import { deletionLine, documentId, encodeDocuments } from './bulk-lines.js';
import type { BulkRequest } from './bulk-lines.js';
import type { EncodeAnswers, EncodeCall } from './document-worker.js';
import type { EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';

/** Name under which an index is written: the engine would make an index that is missing, with another mapping, but no alias. */
export function writeAlias(index: string): string {

    return `${index}-w`;
}

export interface EngineWriterParts {
    readonly client: EngineClient;
    readonly source: IndexSource;
    readonly log: Log;
}

/** Number of objects that are looked up together; no more than a list of a statement may have. */
const OBJECTS_PER_BATCH = 500;

/** Milliseconds that the engine may take to store a request. */
const BULK_MS = 60_000;

const [OK, CONFLICT, MISSING, TOO_MANY, SERVER_ERROR] = [300, 409, 404, 429, 500];

interface BulkItem {
    readonly status: number;
    readonly error?: unknown;
}

interface BulkAnswer {
    readonly errors: boolean;
    readonly items: readonly Readonly<Record<string, BulkItem>>[];
}

interface StoredVersions {
    readonly docs: readonly { readonly _id: string; readonly found?: boolean; readonly _version?: number }[];
}

/** Writes to one or more indexes. */
export class EngineWriter {

    readonly #parts: EngineWriterParts;
    #thread: WorkerClient<EncodeCall, EncodeAnswers> | null = null;

    constructor(parts: EngineWriterParts) {

        this.#parts = parts;
    }

    /** Stores the current state of objects; those that do not exist are removed. @throws EngineError */
    async apply(index: string, ids: readonly string[], signal: AbortSignal): Promise<void> {

        const { source } = this.#parts;
        for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
            for (const batch of await source.portions(ids.slice(start, start + OBJECTS_PER_BATCH))) {
                const documents = await source.byIds(batch);
                await this.store(index, documents, signal);
                const found = new Set(documents.map(({ id }) => id));
                await this.#remove(index, batch.filter((id) => !found.has(id)), signal);
            }
        }
    }

    /** Stores documents, unless newer ones are there. @throws EngineError */
    async store(index: string, documents: readonly IndexDocument[], signal: AbortSignal): Promise<void> {

        if (documents.length === 0) {
            return;
        }

        for (const request of await this.#worker().call({ kind: 'encode', documents })) {
            signal.throwIfAborted();
            for (const id of await this.#bulk(index, request)) {
                await this.#storeWithoutTexts(index, documents.find((document) => document.id === id));
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

    /** The version after that of the document keeps out an earlier state that is written late. */
    async #remove(index: string, ids: readonly string[], signal: AbortSignal): Promise<void> {

        if (ids.length === 0) {
            return;
        }

        signal.throwIfAborted();
        const { docs } = await this.#parts.client.send<StoredVersions>({ method: 'POST', path: `/${index}/_mget`, query: { _source: false }, body: { ids: ids.map(documentId) } });
        const found = docs.filter((document) => document.found);
        if (found.length > 0) {
            const lines = found.map(({ _id, _version = 0 }) => deletionLine(_id, _version + 1)).join('');
            await this.#bulk(index, { lines, ids: found.map(({ _id }) => _id) });
        }
    }

    /** Sends a request; returns the ids of documents that the engine can never store. */
    async #bulk(index: string, { lines, ids }: BulkRequest): Promise<string[]> {

        try {
            const answer = await this.#parts.client.send<BulkAnswer>({ method: 'POST', path: `/${writeAlias(index)}/_bulk`, query: { require_alias: true }, lines, timeoutMs: BULK_MS });
            return answer.errors ? ids.filter((id, i) => isRejected(Object.values(answer.items[i] ?? {})[0])) : [];
        }
        catch (error) {
            if (error instanceof EngineError && (error.failure === 'too-long' || error.failure === 'rejected') && ids.length === 1) {
                return [...ids];
            }

            throw error;
        }
    }

    /** An object must not stop those behind it, so it is stored with its names only. */
    async #storeWithoutTexts(index: string, document: IndexDocument | undefined): Promise<void> {

        if (!document) {
            return;
        }

        this.#parts.log.error({ event: 'search.document-refused', object: document.id }, 'the search engine refuses an object, which is found by its metadata only');
        const bare: IndexDocument = { ...document, content: {}, userMetadata: null, copies: [], elements: [] };
        const [request] = encodeDocuments([bare]);
        if (request && (await this.#bulk(index, request)).length > 0) {
            this.#parts.log.error({ event: 'search.document-lost', object: document.id }, 'the search engine refuses even the metadata of an object, which is not found');
        }
    }
}

/** @throws EngineError for what may pass */
function isRejected(item: BulkItem | undefined): boolean {

    const { status, error } = item ?? { status: SERVER_ERROR, error: 'no answer' };
    if (status < OK || status === CONFLICT) {
        return false;
    }

    const said = JSON.stringify(error ?? null).slice(0, 500);
    if (status === TOO_MANY || status >= SERVER_ERROR) {
        throw new EngineError('unreachable', `the engine could not store a document: ${said}`);
    }

    if (status === MISSING) {
        if (error !== undefined) {
            throw new EngineError('missing', `the index is missing: ${said}`);
        }

        return false;
    }

    return true;
}
