/**
 * Figures about the running service for administrators: what is known at once, and what the database or another thread has to be asked for, which is
 * cached for some seconds and left out when it takes too long. Nothing counts large tables.
 */

import { hostname } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json-types.js';
import type { Database } from '../../db/database.js';
import type { JobRecord, JobStore } from '../stores/jobs/job-store.js';
import { SingleFlight } from '../util/concurrency/single-flight.js';
import { implementation } from '../util/version.js';

/** Where the figures come from. */
export interface StatusSources {
    readonly db: Pick<Database, 'dialect' | 'size' | 'usage'>;
    readonly jobStore: Pick<JobStore, 'recent'>;
    /** Kind of the jobs that index objects again. */
    readonly reindexKind: string;
    readonly index: {
        usage(): Promise<{ readonly segments: number; readonly documents: number }>;
        readonly load: { readonly isUp: boolean; readonly pending: number };
    };
    readonly blobs: { totals(limit: number): Promise<{ readonly count: number; readonly bytes: number }> };
    readonly tokens: { count(limit: number): Promise<number> };
    /** Handles to be registered; null without a handle server. */
    readonly outbox: { counts(): Promise<{ readonly entries: number; readonly failed: number }> } | null;
}

/** Time in ms for which readings are cached, and for which a request waits for one. */
const CACHED_MS = 5000;
const READING_MS = 1000;

/** Rows that are counted of a table at most, and the time in ms for which such a count is cached. */
const MAX_COUNTED = 100_000;
const COUNT_CACHED_MS = 60_000;

/** Maximum number of jobs, and length of their errors and of the JSON text of their progress. */
const JOBS = 50;
const MAX_TEXT = 500;

/** Resolution of the delay of the event loop in ms; the delay itself is in nanoseconds, and includes it. */
const RESOLUTION_MS = 20;
const NS_PER_MS = 1_000_000;

interface CachedReading {
    readonly until: number;
    readonly value: unknown;
}

/** Reads figures. */
export class ServiceStatus {

    readonly #sources: StatusSources;
    readonly #now: () => number;
    readonly #startedOn: number;
    readonly #reading = new SingleFlight<unknown>();
    readonly #cached = new Map<string, CachedReading>();
    /** From the first request on; measuring has a timer. */
    #delay: IntervalHistogram | null = null;

    constructor(sources: StatusSources, now: () => number = Date.now) {

        this.#sources = sources;
        this.#now = now;
        this.#startedOn = now();
    }

    /** Resolves within about a second. */
    async report(): Promise<JsonObject> {

        const { db, index, jobStore, blobs, tokens, outbox } = this.#sources;
        const [bytes, searcher, jobs, payloads, sessions, handles] = await Promise.all([
            this.#read('bytes', () => db.size()),
            this.#read('index', () => index.usage()),
            this.#read('jobs', () => jobStore.recent(JOBS)),
            this.#read('payloads', () => blobs.totals(MAX_COUNTED + 1), COUNT_CACHED_MS),
            this.#read('sessions', () => tokens.count(MAX_COUNTED + 1)),
            outbox ? this.#read('handles', () => outbox.counts()) : undefined
        ]);
        const { disk } = db.usage();
        const { rss, heapUsed } = process.memoryUsage();
        return {
            version: implementation.version,
            node: hostname(),
            startedOn: this.#startedOn,
            database: {
                kind: db.dialect === 'sqlite' ? 'SQLite' : 'MySQL', ...bytes === undefined ? {} : { bytes }, ...disk ? { freeBytes: disk.free } : {}
            },
            ...payloads ? { payloads: { ...payloads, ...payloads.count > MAX_COUNTED ? { hasMore: true } : {} } } : {},
            ...sessions === undefined ? {} : { sessions },
            index: {
                isUp: index.load.isUp, pendingChanges: index.load.pending, ...searcher ? { documents: searcher.documents, segments: searcher.segments } : {},
                ...reindexingOf((jobs ?? []).filter(({ kind }) => kind === this.#sources.reindexKind))
            },
            jobs: (jobs ?? []).map(jobOf),
            ...handles ? { handles: { outbox: handles.entries, errors: handles.failed } } : {},
            memory: { rssBytes: rss, heapBytes: heapUsed },
            eventLoop: this.#eventLoop()
        };
    }

    /** Stops measuring. */
    close(): void {

        this.#delay?.disable();
        this.#delay = null;
    }

    /** The delay since the first request. */
    #eventLoop(): JsonObject {

        if (!this.#delay) {
            this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
            this.#delay.enable();
        }

        const ms = this.#delay.percentile(99) / NS_PER_MS - RESOLUTION_MS;
        return this.#delay.count === 0 ? {} : { p99Ms: Math.max(0, Math.round(ms * 10) / 10) };
    }

    /** Returns a reading that is not older than some seconds; undefined when it fails or takes too long. Concurrent requests share one. */
    async #read<T>(name: string, read: () => Promise<T>, cachedMs = CACHED_MS): Promise<T | undefined> {

        const cached = this.#cached.get(name);
        if (cached && this.#now() < cached.until) {
            return cached.value as T;
        }

        const reading = this.#reading.run(async () => {

            const value = await read();
            this.#cached.set(name, { value, until: this.#now() + cachedMs });
            return value;
        }, name).catch(() => undefined);
        let timer: NodeJS.Timeout | undefined;
        const timedOut = new Promise<undefined>((resolve) => {

            timer = setTimeout(() => resolve(undefined), READING_MS);
        });
        try {
            return await Promise.race([reading, timedOut]) as T | undefined;
        }
        finally {
            clearTimeout(timer);
        }
    }
}

/** What those jobs that run have indexed again, and about how much they have to. */
function reindexingOf(jobs: readonly JobRecord[]): JsonObject {

    const known = jobs.flatMap(({ state, progress }) => {

        const { done, total } = isJsonObject(progress) ? progress : {};
        return state === 'running' && typeof done === 'number' && typeof total === 'number' ? [{ done, total }] : [];
    });
    const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
    return known.length === 0 ? {} : { reindexing: { done: sum(known.map(({ done }) => done)), total: sum(known.map(({ total }) => total)) } };
}

/** A job without its payload, which may hold content of objects. */
function jobOf({ id, kind, state, createdOn, progress, lastError }: JobRecord): JsonObject {

    return {
        id, type: kind, state, createdOn,
        ...isShort(progress) ? { progress } : {}, ...lastError === null ? {} : { error: lastError.slice(0, MAX_TEXT).toWellFormed() }
    };
}

function isShort(progress: JsonValue): boolean {

    return progress !== null && JSON.stringify(progress).length <= MAX_TEXT;
}
