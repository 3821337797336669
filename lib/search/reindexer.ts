/**
 * Indexing objects anew at an administrator's wish: those that are named, those that a query finds, or all. It goes through
 * them in small batches, beside searches and writes, and does not stop when whoever asked for it goes away.
 */

import { setImmediate } from 'node:timers/promises';
import type { Step } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import type { KeyedLocks, Release } from '../util/concurrency/keyed-mutex.js';
import { unavailable } from '../errors/errors.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject, IndexedForm } from '../model/stored-object.js';
import type { PayloadTexts, TextJobs } from '../payloads/payload-texts.js';
import type { IndexFormStore } from '../stores/search/indexed-form-store.js';
import { OBJECTS_PER_BATCH } from '../stores/objects/object-scan.js';
import { FULL_ACCESS } from './matching/acl-filter.js';
import type { ObjectReader } from './mapping/document-source.js';
import type { SearchIndex } from './runtime/search-index.js';

/** Which objects. */
export type ReindexRequest = { readonly ids: readonly string[] } | { readonly query: string } | 'all';

export interface ReindexOptions {
    readonly caller: Caller;
    /** Objects of a batch are not changed by writers of this node while the batch is worked on. */
    readonly lockObjects: boolean;
    /** Goes on after this id, in the order in which {@link reached} was told; objects that a query finds are gone through from the first. */
    readonly after?: string;
    /** Told the last id of what is done. */
    readonly reached?: (id: string) => Promise<void>;
    /** Ends it after a batch. */
    readonly signal?: AbortSignal;
}

/** Objects as they are read for this. */
export interface ReindexReader extends ObjectReader {
    /** The next ids after one, some hundred; an empty list after the last. */
    idsAfter(id: string): Promise<string[]>;
}

export interface ReindexParts {
    readonly index: SearchIndex;
    readonly objects: ReindexReader;
    readonly forms: IndexFormStore;
    readonly texts: PayloadTexts;
    readonly jobs: TextJobs;
    readonly locks: KeyedLocks;
    /** The form in which an object is indexed, made anew; undefined when its type says nothing about it. */
    readonly makeForm: (object: StoredObject, caller: Caller) => Promise<IndexedForm | null | undefined>;
    readonly log: Log;
}

/** Objects that are worked on at a time; fewer where they are long. */
const BATCH = 16;

/** An object that is busy for longer is indexed without its lock: whoever has it indexes the object anyway. */
const LOCK_MS = 5000;

/** Forms are made anew when objects were changed meanwhile; after so many times it is left to those who change them. */
const ATTEMPTS = 3;

/** The tag of a unit that met another state of an object than its form was made from. */
const CHANGED = 'reindex:changed';

export class Reindexer {

    readonly #parts: ReindexParts;
    readonly #running = new Set<Promise<number>>();
    #isStopped = false;

    constructor(parts: ReindexParts) {

        this.#parts = parts;
    }

    /**
     * Indexes objects anew; those that do not exist are removed from the index.
     *
     * @returns the number of ids; when it resolves, later searches of this node see it
     * @throws DoipError 400 for a query that cannot be understood, 503 when the service stops
     */
    async run(wish: ReindexRequest, options: ReindexOptions): Promise<number> {

        const work = this.#run(wish, options);
        this.#running.add(work);
        try {
            return await work;
        }
        finally {
            this.#running.delete(work);
        }
    }

    /** Ends what is running after its batch. */
    async stop(): Promise<void> {

        this.#isStopped = true;
        await Promise.allSettled(this.#running);
    }

    async #run(wish: ReindexRequest, options: ReindexOptions): Promise<number> {

        let count = 0;
        for await (const ids of this.#batches(wish, options.after ?? '')) {
            options.signal?.throwIfAborted();
            if (this.#isStopped) {
                throw unavailable('the service stops; not all objects were indexed anew', 10);
            }

            await this.#locked(ids, options, () => this.#reindex(ids, options.caller));
            count += ids.length;
            if (!isQuery(wish)) {
                await options.reached?.(ids.at(-1) ?? '');
            }

            // It may be many; whatever else the process does comes first.
            await setImmediate();
        }

        return count;
    }

    /** A few ids at a time, of objects that may be in memory at once. */
    async *#batches(wish: ReindexRequest, after: string): AsyncGenerator<readonly string[]> {

        for await (const block of this.#ids(wish, after)) {
            for (const some of slices(block, OBJECTS_PER_BATCH)) {
                for (const portion of await this.#parts.objects.portions(some)) {
                    yield *slices(portion, BATCH);
                }
            }
        }
    }

    async *#ids(wish: ReindexRequest, after: string): AsyncGenerator<readonly string[]> {

        if (wish === 'all') {
            for (let ids = await this.#parts.objects.idsAfter(after); ids.length > 0; ids = await this.#parts.objects.idsAfter(ids.at(-1) ?? '')) {
                yield ids;
            }
        }
        else if (!isQuery(wish)) {
            yield [...new Set(wish.ids)].filter((id) => id > after).sort();
        }
        else {
            const { hits } = await this.#parts.index.search({
                query: wish.query, filterQueries: [], facets: [], sort: [{ field: 'id', reverse: false }], start: 0, limit: null,
                includeScore: false, includeVersions: true, access: FULL_ACCESS
            });
            for await (const block of hits) {
                yield block.map(({ id }) => id);
            }
        }
    }

    async #locked(ids: readonly string[], { lockObjects }: ReindexOptions, work: () => Promise<void>): Promise<void> {

        const held: Release[] = [];
        try {
            // Always in the same order, so that two of these do not wait for each other.
            for (const id of lockObjects ? ids.toSorted() : []) {
                const release = await this.#parts.locks.acquire(id, LOCK_MS).catch(() => null);
                held.push(...release ? [release] : []);
            }

            await work();
        }
        finally {
            held.forEach((release) => release());
        }
    }

    async #reindex(ids: readonly string[], caller: Caller): Promise<void> {

        const { index, objects, jobs } = this.#parts;
        for (let attempt = 0; attempt < ATTEMPTS; ++attempt) {
            const steps: Step[] = [];
            let hasUnread = false;
            for (const object of await objects.byIds(ids)) {
                steps.push(...await this.#formSteps(object, caller));
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

    /** A script that fails leaves its object indexed as it was. */
    async #formSteps(object: StoredObject, caller: Caller): Promise<Step[]> {

        const { forms, makeForm, log } = this.#parts;
        try {
            const form = await makeForm(object, caller);
            return form === undefined ? [] : forms.replaceSteps(object, form, CHANGED);
        }
        catch (error) {
            log.warn({ err: error, object: object.id }, 'the code of a type failed for an object that is indexed anew');
            return [];
        }
    }
}

function isQuery(wish: ReindexRequest): wish is { readonly query: string } {

    return wish !== 'all' && 'query' in wish;
}

function *slices(ids: readonly string[], length: number): Generator<readonly string[]> {

    for (let start = 0; start < ids.length; start += length) {
        yield ids.slice(start, start + length);
    }
}
