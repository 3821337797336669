/**
 * Reindexing as persistent jobs: a request is stored before it is carried out, so that another node, or this one after a restart,
 * resumes it when the process ends.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../util/json-types.js';
import { internal, isTemporary, unavailable } from '../errors/errors.js';
import { isWorkerExited } from '../util/workers/worker-client.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import { SERVICE } from '../model/caller.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import { FULL_ACCESS } from './matching/acl-filter.js';
import type { Reindexer, ReindexRequest } from './reindexer.js';
import type { SearchIndex } from './runtime/search-index.js';

/** Kind of the jobs. */
export const REINDEX_JOB = 'search.reindex';

/** Maximum number of requests that a node works on at a time; others are queued. */
const CONCURRENCY = 4;

/** Milliseconds after which the jobs of a process that ended are taken over. */
const LEASE_MS = 10_000;

/** Milliseconds between two attempts: the first, doubled up to the maximum. Callers wait. */
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10_000;

/** Maximum number of attempts of a job, including those that ended the process, but none that an outage ended. */
const MAX_ATTEMPTS = 20;

/** Milliseconds between two reports of progress. */
const REPORT_MS = 1000;

/** Polling interval for the outcome of a job, in milliseconds: the first, and the maximum. */
const MIN_POLL_MS = 5;
const MAX_POLL_MS = 500;

interface ReindexPayload {
    readonly wish: ReindexRequest;
    readonly lockObjects: boolean;
}

export interface ReindexJobsParts {
    readonly reindexing: Reindexer;
    readonly index: SearchIndex;
    readonly jobs: { register(kind: JobKind): void; wake(kind: string): void };
    readonly jobStore: JobStore;
}

/** Accepts requests and carries them out. */
export class ReindexJobs {

    readonly #parts: ReindexJobsParts;
    readonly #stop = new AbortController();

    constructor(parts: ReindexJobsParts) {

        this.#parts = parts;
        parts.jobs.register({
            kind: REINDEX_JOB, concurrency: CONCURRENCY, leaseMs: LEASE_MS, maxAttempts: MAX_ATTEMPTS, run: (job) => this.#work(job),
            backOff: (attempts) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (attempts - 1)),
            isOutage
        });
    }

    /**
     * Reindexes objects, on any node; those that do not exist are removed from the index. When it resolves, later searches of this
     * node see the result.
     *
     * @param options `signal`: ends waiting, as when the client disconnects; the job goes on
     * @throws DoipError 400 for an invalid query, 503 when this process stops; the job continues elsewhere
     */
    async run(request: ReindexRequest, { lockObjects, signal }: { readonly lockObjects: boolean; readonly signal: AbortSignal }): Promise<void> {

        const { index, jobs, jobStore } = this.#parts;
        if (typeof request === 'object' && 'query' in request) {
            await this.#check(request.query);
        }

        const payload: ReindexPayload = { wish: request, lockObjects };
        const id = await jobStore.add({ kind: REINDEX_JOB, payload: payload as unknown as JsonObject });
        jobs.wake(REINDEX_JOB);
        await this.#waitForEnd(id, signal);
        await index.catchUp();
    }

    /** Rejects waiting callers with 503, and stops the reindexer. */
    async stop(): Promise<void> {

        this.#stop.abort();
        await this.#parts.reindexing.stop();
    }

    /** Checks a query before the job is stored. */
    async #check(query: string): Promise<void> {

        const { hits } = await this.#parts.index.search({
            query, filterQueries: [], facets: [], sort: [], start: 0, limit: 0, includeScore: false, includeVersions: true, access: FULL_ACCESS
        });
        await hits.return();
    }

    async #waitForEnd(id: number, client: AbortSignal): Promise<void> {

        const signal = AbortSignal.any([this.#stop.signal, client]);
        for (let pause = MIN_POLL_MS; ; pause = Math.min(pause * 2, MAX_POLL_MS)) {
            const { state, lastError } = await this.#parts.jobStore.outcome(id);
            if (state === 'done') {
                return;
            }

            if (state === 'failed') {
                throw internal(new Error(`a job of ${REINDEX_JOB} has failed: ${lastError}`));
            }

            await sleep(pause, undefined, { signal }).catch(() => {

                client.throwIfAborted();
                throw unavailable('the service stops; another node, or this one after its next start, goes on with what is left', 10);
            });
        }
    }

    /** About how many objects a request concerns; null if that is not known in advance. */
    async #total(request: ReindexRequest): Promise<number | null> {

        if (typeof request === 'object') {
            return 'ids' in request ? request.ids.length : null;
        }

        return this.#parts.index.usage().then(({ documents }) => documents, () => null);
    }

    async #work(job: RunningJob): Promise<void> {

        if (job.attempts > MAX_ATTEMPTS) {
            throw new Error('it was begun too often and never ended');
        }

        const { wish: request, lockObjects } = job.payload as unknown as ReindexPayload;
        const { after = '', done = 0 } = (job.progress ?? {}) as { readonly after?: string; readonly done?: number };
        const total = await this.#total(request);
        // Results of a query are processed from the first again.
        const before = after === '' ? 0 : done;
        let reportedOn = performance.now();
        await this.#parts.reindexing.run(request, {
            caller: SERVICE, lockObjects, after, signal: job.signal,
            onProgress: async (id, count) => {

                if (performance.now() - reportedOn > REPORT_MS) {
                    const sum = before + count;
                    await job.report({ after: id, done: sum, ...total === null ? {} : { total: Math.max(total, sum) } });
                    reportedOn = performance.now();
                }
            }
        });
    }
}

/**
 * True for an outage of the search engine, without which a query finds nothing, and when type code cannot be run, as there is too much to do. Not for
 * a query that takes too long, or ends the searching thread: such a job would be repeated for ever.
 */
function isOutage(error: unknown): boolean {

    // Only what may be repeated tells when.
    return isTemporary(error) && error.attributes['retryAfter'] !== undefined && !isWorkerExited(error);
}
