/**
 * Composes the search: index, document source, and background jobs.
 */

import type { Database } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import type { JobKind } from '../jobs/job-kind.js';
import type { ElementService } from '../objects/elements/element-service.js';
import type { WriteParticipant } from '../model/write-participant.js';
import type { TextJobs } from '../payloads/payload-texts.js';
import { PayloadTexts } from '../payloads/payload-texts.js';
import type { TextLimits } from '../payloads/text-extractor.js';
import { TextExtractor } from '../payloads/text-extractor.js';
import { readTexts, TEXT_JOB, textJob } from '../payloads/text-job.js';
import { IndexFormStore } from '../stores/search/indexed-form-store.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import { PayloadTextStore } from '../stores/blobs/payload-text-store.js';
import { SearchLogStore } from '../stores/search/change-log-store.js';
import { SearchSegmentStore } from '../stores/search/segment-store.js';
import type { Catalog } from '../types/catalog.js';
import { IndexedFormParticipant } from './mapping/indexed-form-participant.js';
import { StoredIndexSource } from './mapping/document-source.js';
import { EngineIndex } from './opensearch/engine-index.js';
import type { EngineOptions } from '../stores/search/engine-location.js';
import { RemoteIndex, type RemoteIndexOptions } from './remote/remote-index.js';
import { IndexSupervisor } from './runtime/index-supervisor.js';
import type { SearchLimits } from './runtime/index-options.js';
import type { ReindexParts } from './reindexer.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import { ReindexJobs } from './reindex-job.js';
import { Reindexer } from './reindexer.js';
import type { SearchIndex } from './runtime/search-index.js';

/** Dependencies of the search. */
export interface SearchParts {
    readonly db: Database;
    readonly log: Log;
    readonly catalog: Catalog;
    /** Brings the catalog up to date with the database. */
    readonly refresh: () => Promise<unknown>;
    readonly objects: Pick<ObjectScan, 'portions' | 'byIds' | 'after' | 'idsAfter'>;
    readonly elements: ElementService;
    readonly jobs: { register(kind: JobKind): void; wake(kind: string): void };
    readonly jobStore: JobStore;
    readonly texts: TextLimits;
    /** Name of this node among those that share a database; null for a single node. */
    readonly node: string | null;
    /** The Unix socket for searches of worker processes, at whose side this process is; null without them. */
    readonly searchesOfWorkers:
        | { readonly side: 'primary'; readonly socketPath: string }
        | { readonly side: 'worker' } & Pick<RemoteIndexOptions, 'socketPath' | 'code'>
        | null;
    /** Called when the index becomes able, or unable, to answer searches. */
    readonly onState: (state: 'UP' | 'FAILED') => void;
    /** Called when the change log shows that the database has lost commits. */
    readonly onWentBack: () => void;
    /** Limits of searches. */
    readonly search?: SearchOptions | undefined;
}

/** Limits of searches, and the engine. */
export interface SearchOptions extends SearchLimits {
    /** OpenSearch; absent for the embedded engine. */
    readonly engine?: EngineOptions | null;
}

/** The composed parts. */
export interface ComposedSearch {
    readonly index: SearchIndex;
    readonly texts: Pick<TextExtractor, 'load'>;
    /** Participants of every write. */
    readonly participants: { readonly indexedForm: WriteParticipant; readonly payloadTexts: WriteParticipant; readonly changeLog: WriteParticipant };
    /** Creates the service that reindexes objects. */
    readonly reindexing: (parts: Pick<ReindexParts, 'locks' | 'makeForm'>) => ReindexJobs;
    /** Ends all threads. To be called after the jobs have stopped. */
    stop(): Promise<void>;
}

/** Composes the search and registers its jobs; starts nothing. */
export function composeSearch(parts: SearchParts): ComposedSearch {

    const { db, log, catalog, refresh, objects, elements, jobs, jobStore, texts: limits, node, searchesOfWorkers, onState, onWentBack } = parts;
    const forms = new IndexFormStore(db);
    const store = new PayloadTextStore(db);
    const extractor = new TextExtractor(limits);
    const textJobs: TextJobs = { enqueueStep: (id) => jobStore.enqueueStep(textJob(id)), wake: () => jobs.wake(TEXT_JOB) };
    const texts = new PayloadTexts({ store, catalog, limits, jobs: textJobs });
    const source = new StoredIndexSource({ objects, forms, texts, catalog, refresh });
    const changes = new SearchLogStore(db);
    const { engine = null, ...searchLimits } = parts.search ?? {};
    const socketPath = searchesOfWorkers?.socketPath ?? null;
    const isShared = node !== null;
    const index = searchesOfWorkers?.side === 'worker' ? new RemoteIndex({ ...searchesOfWorkers, isShared, timeout: searchLimits.timeout }) :
        engine ? new EngineIndex({ db, changes, source, log, onState, onWentBack, options: engine, timeoutMs: searchLimits.timeout }) : new IndexSupervisor({
            log: changes, segments: new SearchSegmentStore(db, node ?? 'local'), logger: log, isShared, onState, onWentBack, source, socketPath, ...searchLimits
        });
    if (index instanceof EngineIndex) {
        jobs.register(index.job);
    }

    jobs.register(readTexts({ objects, elements, texts, store, extractor, index, log }));
    const made: ReindexJobs[] = [];
    return {
        index,
        texts: extractor,
        reindexing: (parts) => {

            const reindexing = new Reindexer({ ...parts, index, objects, forms, texts, jobs: textJobs, catalog, refresh, log });
            const requests = new ReindexJobs({ reindexing, index, jobs, jobStore });
            made.push(requests);
            return requests;
        },
        participants: { indexedForm: new IndexedFormParticipant(forms), payloadTexts: texts.participant, changeLog: index.participant },
        stop: async () => {

            await Promise.all(made.map((requests) => requests.stop()));
            await extractor.close();
            await index.stop();
        }
    };
}
