/** A search index over a real database, with objects that are written as the service writes them. */

import type { Database } from '../../db/database.js';
import { SILENT } from '../../db/log.js';
import { isUnavailable } from '../../lib/errors/errors.js';
import { ADMIN_ID } from '../../lib/model/caller.js';
import type { StoredElement, StoredObject, IndexedForm } from '../../lib/model/stored-object.js';
import type { ObjectChange } from '../../lib/model/write-participant.js';
import { FULL_ACCESS } from '../../lib/search/matching/acl-filter.js';
import { IndexedFormParticipant } from '../../lib/search/mapping/indexed-form-participant.js';
import type { IndexDocument } from '../../lib/search/mapping/index-document.js';
import { toIndexDocument } from '../../lib/search/mapping/index-document.js';
import type { IndexSource } from '../../lib/search/mapping/document-source.js';
import { IndexSupervisor } from '../../lib/search/runtime/index-supervisor.js';
import type { SearchHit, SearchRequest } from '../../lib/search/query/search-request.js';
import { IndexFormStore } from '../../lib/stores/search/indexed-form-store.js';
import { ObjectScan } from '../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../lib/stores/objects/object-store.js';
import { SearchLogStore } from '../../lib/stores/search/change-log-store.js';
import { SearchSegmentStore } from '../../lib/stores/search/segment-store.js';
import type { LocalSearchOptions } from '../../lib/search/runtime/index-options.js';
import { until } from './until.js';

const ADMIN: ObjectChange['caller'] = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/** A search for all there is, to be narrowed down. */
export const EVERYTHING: SearchRequest = {
    query: '*:*', filterQueries: [], sort: [], facets: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS
};

export class SearchNode {

    readonly index: IndexSupervisor;
    readonly segments: SearchSegmentStore;
    readonly #database: Database;
    readonly #store: ObjectStore;
    readonly #forms: IndexFormStore;

    /** @param options `described` is told of every object that is described */
    constructor(database: Database, options: Partial<LocalSearchOptions> & { owner?: string; described?: (object: StoredObject) => void } = {}) {

        this.#database = database;
        this.#store = new ObjectStore(database);
        this.#forms = new IndexFormStore(database);
        this.segments = new SearchSegmentStore(database, options.owner ?? 'node');
        this.index = new IndexSupervisor({
            log: new SearchLogStore(database), segments: this.segments,
            source: sourceOf(new ObjectScan(database), this.#forms, options.described), logger: SILENT, isShared: false, waitMs: 60_000, ...options
        });
    }

    /**
     * Creates, replaces or deletes an object, with its row in the log, and the form in which it is indexed. `beforeReport` is awaited between
     * the commit and its report to the index.
     */
    async write(before: StoredObject | null, after: StoredObject | null, indexForm?: IndexedForm | null, beforeReport?: () => Promise<void>): Promise<void> {

        const change: ObjectChange = {
            before, after, processed: null, steps: [], caller: ADMIN, now: 0, ...indexForm === undefined ? {} : { indexForm }
        };
        const own = after ? before ? this.#store.updateSteps(before, after, 'changed') : this.#store.insertSteps(after, 'taken') :
            before ? this.#store.deleteSteps(before, 'changed') : [];
        const formSteps = new IndexedFormParticipant(this.#forms).steps(change);
        const result = await this.#database.commit({ steps: [...own, ...formSteps, ...await this.index.participant.steps(change)] });
        if (!result.ok) {
            throw new Error(`not written: ${result.failed}`);
        }

        await beforeReport?.();
        this.index.participant.committed?.(change);
    }

    async search(request: Partial<SearchRequest>) {

        const { size, facets, hits } = await this.index.search({ ...EVERYTHING, ...request });
        const all: SearchHit[] = [];
        for await (const block of hits) {
            all.push(...block);
        }

        return { size, facets, hits: all };
    }

    /** Number of objects that a short search finds, repeated where it takes longer than the timeout because the machine is busy. */
    async count(request: Partial<SearchRequest>): Promise<number> {

        let size = 0;
        await until(async () => {

            try {
                ({ size } = await this.search(request));
                return true;
            }
            catch (error) {
                if (!isUnavailable(error)) {
                    throw error;
                }

                return false;
            }
        });
        return size;
    }
}

/** Documents of stored objects, without types. */
export function sourceOf(objects: ObjectScan, forms: IndexFormStore, described: (object: StoredObject) => void = () => {}): IndexSource {

    const describe = (object: StoredObject, form: IndexedForm | null | undefined): IndexDocument => {

        described(object);
        return documentOf(object, form);
    };

    const read = async (found: Promise<StoredObject[]>): Promise<IndexDocument[]> => {

        const { byId } = await forms.read(await found);
        return (await found).map((object) => describe(object, byId.get(object.id)));
    };

    return {
        describe: (object, { indexForm }) => describe(object, indexForm),
        portions: (ids) => objects.portions(ids),
        byIds: async (ids) => ({ documents: await read(objects.byIds(ids)), changing: new Set() }),
        after: (id) => read(objects.after(id))
    };
}

/** What is indexed of an object here. */
export function documentOf(object: StoredObject, form?: IndexedForm | null): IndexDocument {

    return toIndexDocument(object, { indexedOn: 0, form: form ?? undefined });
}

/** An object that has just this in it. */
export function objectOf(document: IndexDocument): StoredObject {

    const elements = document.elements.map(({ name, filename, mediaType, size }): StoredElement => {

        return { name, filename, mediaType, size, blobId: 1, store: 'database', hash: null };
    });
    const { id, type, content, rights, userMetadata, metadata } = document;
    return { id, type, content, acl: rights, userMetadata, metadata, elements };
}
