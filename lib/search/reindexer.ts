/**
 * Reindexing on request of an administrator: named objects, those that a query finds, or all. Works in small batches beside
 * searches and writes, and continues when the client disconnects.
 */

import { setImmediate } from 'node:timers/promises';
import type { Step } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import { sortedBlocks } from '../util/concurrency/sorted-blocks.js';
import type { KeyedLocks, Release } from '../util/concurrency/keyed-mutex.js';
import { isTemporary, unavailable } from '../errors/errors.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject, IndexedForm } from '../model/stored-object.js';
import type { PayloadTexts, TextJobs } from '../payloads/payload-texts.js';
import type { Catalog } from '../types/catalog.js';
import type { IndexFormStore } from '../stores/search/indexed-form-store.js';
import { OBJECTS_PER_BATCH } from '../stores/objects/object-scan.js';
import { FULL_ACCESS } from './matching/acl-filter.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import type { SearchIndex } from './runtime/search-index.js';

/** Which objects to reindex. */
export type ReindexRequest = { readonly ids: readonly string[] } | { readonly query: string } | 'all';

/** Options of a request. */
export interface ReindexOptions {
    readonly caller: Caller;
    /** Locks the objects of a batch against writers of this node. */
    readonly lockObjects: boolean;
    /** Resumes after this id, in the order reported to {@link onProgress}; results of a query are always processed from the first. */
    readonly after?: string;
    /** Receives the last id of each batch that is done, empty for results of a query, and the number of ids so far. */
    readonly onProgress?: (id: string, count: number) => Promise<void>;
    /** Stops after a batch. */
    readonly signal?: AbortSignal;
}

export interface ReindexParts {
    readonly index: SearchIndex;
    readonly objects: Pick<ObjectScan, 'portions' | 'byIds' | 'after' | 'idsAfter'>;
    readonly forms: IndexFormStore;
    readonly texts: PayloadTexts;
    readonly jobs: TextJobs;
    readonly catalog: Pick<Catalog, 'current' | 'checkComplete'>;
    readonly locks: KeyedLocks;
    /** Computes the indexed form of an object; undefined when its type does not define any, so that it is indexed as stored. */
    readonly makeForm: (object: StoredObject, caller: Caller) => Promise<IndexedForm | undefined>;
    /** Brings the types up to date with the database: those that another node has changed determine the forms. */
    readonly refresh: () => Promise<unknown>;
    readonly log: Log;
}

/** Batch size; batches of long objects are smaller. */
const BATCH = 16;

/** Timeout for the lock of an object, in milliseconds. Without it the object is reindexed as well; its writer indexes it anyway. */
const LOCK_MS = 5000;

/** Maximum number of attempts when objects change meanwhile; then their forms are left to the writers. */
const ATTEMPTS = 3;

/** Tag of the precondition that the object has the state from which its form was computed. */
const CHANGED = 'reindex:changed';

export class Reindexer {

    readonly #parts: ReindexParts;
    readonly #running = new Set<Promise<number>>();
    #isStopped = false;

    constructor(parts: ReindexParts) {

        this.#parts = parts;
    }

    /**
     * Reindexes objects; those that do not exist are removed from the index.
     *
     * @returns the number of ids; when it resolves, later searches of this node see the result
     * @throws DoipError 400 for an invalid query, 503 when the service stops, 429 or 503 when type code cannot be run
     */
    async run(request: ReindexRequest, options: ReindexOptions): Promise<number> {

        const work = this.#run(request, options);
        this.#running.add(work);
        try {
            return await work;
        }
        finally {
            this.#running.delete(work);
        }
    }

    /** Stops running requests after their batch. */
    async stop(): Promise<void> {

        this.#isStopped = true;
        await Promise.allSettled(this.#running);
    }

    async #run(request: ReindexRequest, options: ReindexOptions): Promise<number> {

        let count = 0;
        for await (const ids of this.#batches(request, options.after ?? '')) {
            options.signal?.throwIfAborted();
            if (this.#isStopped) {
                throw unavailable('the service stops; not all objects were indexed anew', 10);
            }

            await this.#locked(ids, options, () => this.#reindex(ids, options.caller));
            count += ids.length;
            await options.onProgress?.(isQuery(request) ? '' : ids.at(-1) ?? '', count);

            // There may be many; yield to the other work of the process.
            await setImmediate();
        }

        return count;
    }

    /** Splits the ids into batches whose objects fit into memory together. */
    async *#batches(request: ReindexRequest, after: string): AsyncGenerator<readonly string[]> {

        for await (const block of this.#ids(request, after)) {
            for (const some of slices(block, OBJECTS_PER_BATCH)) {
                for (const batch of await this.#parts.objects.portions(some)) {
                    yield *slices(batch, BATCH);
                }
            }
        }
    }

    async *#ids(request: ReindexRequest, after: string): AsyncGenerator<readonly string[]> {

        if (request === 'all') {
            for (let ids = await this.#parts.objects.idsAfter(after); ids.length > 0; ids = await this.#parts.objects.idsAfter(ids.at(-1) ?? '')) {
                yield ids;
            }
        }
        else if (!isQuery(request)) {
            yield *sortedBlocks(request.ids, after, OBJECTS_PER_BATCH);
        }
        else {
            const { hits } = await this.#parts.index.search({
                query: request.query, filterQueries: [], facets: [], sort: [{ field: 'id', reverse: false }], start: 0, limit: null,
                includeScore: false, includeVersions: true, access: FULL_ACCESS
            });
            for await (const block of hits) {
                yield block.map(({ id }) => id);
            }
        }
    }

    async #locked(ids: readonly string[], { lockObjects }: ReindexOptions, work: () => Promise<void>): Promise<void> {

        const locks: Release[] = [];
        try {
            // Lock order, so that two requests do not deadlock.
            for (const id of lockObjects ? ids.toSorted() : []) {
                const release = await this.#parts.locks.acquire(id, LOCK_MS).catch(() => null);
                locks.push(...release ? [release] : []);
            }

            await work();
        }
        finally {
            locks.forEach((release) => release());
        }
    }

    async #reindex(ids: readonly string[], caller: Caller): Promise<void> {

        const { index, objects, jobs } = this.#parts;
        for (let attempt = 0; attempt < ATTEMPTS; ++attempt) {
            await this.#parts.refresh();
            const found = await objects.byIds(ids);
            const steps = await this.#formSteps(found, caller);
            let hasUnread = false;
            for (const object of found) {
                if ((await this.#parts.texts.unread(object)).length > 0) {
                    steps.push(jobs.enqueueStep(object.id));
                    hasUnread = true;
                }
            }

            const { ok } = await index.reindex(ids, steps);
            if (ok) {
                if (hasUnread) {
                    jobs.wake();
                }

                return;
            }
        }

        await index.reindex(ids);
    }

    /** Returns the steps that store the forms of objects, and remove those of objects whose type defines none any more. */
    async #formSteps(objects: readonly StoredObject[], caller: Caller): Promise<Step[]> {

        const { forms } = this.#parts;
        const held = await forms.held(objects.map(({ id }) => id));
        const steps: Step[] = [];
        for (const object of objects) {
            const form = await this.#formOf(object, caller);
            if (form !== 'failed' && (form || held.has(object.id))) {
                steps.push(...forms.replaceSteps(object, form, CHANGED));
            }
        }

        return steps;
    }

    /** Returns the form of an object, or null to index it as stored. When its code fails, the object keeps the form that it has. */
    async #formOf(object: StoredObject, caller: Caller): Promise<IndexedForm | null | 'failed'> {

        const { catalog, makeForm, log } = this.#parts;
        try {
            if (!catalog.current.get(object.type)) {
                catalog.checkComplete();            // An upload may create the type later, with its code
            }

            return await makeForm(object, caller) ?? null;
        }
        catch (error) {
            if (mayPass(error)) {
                throw error;
            }

            log.warn({ event: 'search.index-hook-failed', err: error, object: object.id }, 'type code failed while reindexing an object');
            return 'failed';
        }
    }
}

/** True when the code was not run, as there is too much to do, or an upload is in progress. What code throws with such a status tells no time. */
function mayPass(error: unknown): boolean {

    return isTemporary(error) && error.attributes['retryAfter'] !== undefined;
}

function isQuery(request: ReindexRequest): request is { readonly query: string } {

    return request !== 'all' && 'query' in request;
}

function *slices(ids: readonly string[], length: number): Generator<readonly string[]> {

    for (let start = 0; start < ids.length; start += length) {
        yield ids.slice(start, start + length);
    }
}
