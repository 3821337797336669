/**
 * Moving all payloads to the store where new ones are stored, as one persistent job of all nodes: another node, or this one after a restart, goes on
 * where it was.
 */

import type { Step } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import { conflict, declined } from '../errors/errors.js';
import { type BlobMover, DamagedSourceError, type MovablePayload, type MovePosition, type MoveRoute } from '../stores/blobs/blob-mover.js';
import { DEFAULT_STORE } from '../stores/blobs/element-store.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import type { JsonObject } from '../util/json-types.js';
import type { JobKind, RunningJob } from './job-kind.js';

/** Kind of the job. */
const MOVE_JOB = 'payloads.move';

const LEASE_MS = 10_000;
/** Payloads that are copied at a time. */
const WIDTH = 4;
/** Milliseconds for which what was read about a blob counts as current. */
const MAX_SUSPENSION_MS = 5000;
/** An outage may last for a day. */
const MAX_ATTEMPTS = 2000;
const MAX_PAUSE_MS = 60_000;

/** Attempts in a row, on any node, that found another setting: then it was changed, and a move to where payloads go now must be possible. */
const MAX_STRAYS = 10;

/** What was done so far. */
export interface MoveCounts {
    readonly moved: number;
    readonly bytes: number;
    /** Payloads that stay where they are, as their bytes are not as they were stored. */
    readonly damaged: number;
}

interface Progress extends MoveCounts, MovePosition {
    /** Attempts since the last payload of nodes that store new payloads elsewhere. */
    readonly strays: number;
}

const BEGIN: Progress = { moved: 0, bytes: 0, damaged: 0, objectId: '', name: '', strays: 0 };

/** Ends a move that no node goes on with. */
class AbandonedMoveError extends Error {}

export interface MoveJobsParts {
    readonly mover: BlobMover;
    /** Stores between which payloads are moved; null without a bucket. */
    readonly route: MoveRoute | null;
    readonly jobs: { register(kind: JobKind): void; wake(kind: string): void };
    readonly jobStore: JobStore;
    readonly log: Log;
}

/** Begins and reports moves. */
export class MoveJobs {

    readonly #parts: MoveJobsParts;

    constructor(parts: MoveJobsParts) {

        this.#parts = parts;
        if (parts.route) {
            parts.jobs.register({
                kind: MOVE_JOB, leaseMs: LEASE_MS, maxAttempts: MAX_ATTEMPTS, run: (job) => this.#work(job),
                isFinal: (error) => error instanceof AbandonedMoveError,
                backOff: (attempts) => Math.min(MAX_PAUSE_MS, 1000 * 2 ** Math.min(attempts, 10))
            });
        }
    }

    /**
     * Begins a move, unless one is in progress, which is continued. Returns the number of its job.
     *
     * @throws DoipError without a bucket, or while payloads are moved the other way
     */
    async begin(): Promise<number> {

        const { route, jobs, jobStore } = this.#parts;
        if (!route) {
            throw declined('payloads can only be moved between the database and a bucket: set PAYLOAD_STORE');
        }

        const job = await jobStore.join({ kind: MOVE_JOB, payload: { ...route }, dedup: { key: 'all', until: 'end' } });
        if ((job.payload as { to?: string }).to !== route.to) {
            throw conflict('payloads are being moved the other way: wait until that has ended');
        }

        jobs.wake(MOVE_JOB);
        return job.id;
    }

    /** Returns the state of a move, and what it has done; `failed` for one that is not known any more. */
    async report(id: number): Promise<JsonObject> {

        const found = await this.#parts.jobStore.get(id);
        const job = found?.kind === MOVE_JOB ? found : null;
        const { moved, bytes, damaged }: MoveCounts = { ...BEGIN, ...job?.progress as Partial<Progress> | null };
        return {
            job: id, state: job?.state === 'done' || job?.state === 'failed' ? job.state : job ? 'running' : 'failed', moved, bytes, damaged,
            ...job?.lastError ? { error: job.lastError.split('\n', 1)[0] ?? '' } : {}
        };
    }

    async #work(job: RunningJob): Promise<void> {

        const route = this.#parts.route;
        let progress: Progress = { ...BEGIN, ...job.progress as Partial<Progress> | null };
        if (!route || (job.payload as { to?: string }).to !== route.to) {
            const strays = progress.strays + 1;
            await job.report({ ...progress, strays });
            const message = 'new payloads go to another store than when the move was begun';
            throw strays < MAX_STRAYS ? new Error(message) : new AbandonedMoveError(message);
        }

        progress = { ...progress, strays: 0 };
        for (let isLast = false; !isLast;) {
            job.signal.throwIfAborted();
            const { payloads, end, isLast: isEnd } = await this.#parts.mover.page(route, progress);
            const run = new PageMove(this.#parts, job, { route, progress });
            await run.all(payloads);
            progress = { ...progress, ...run.counts, ...end };
            await (payloads.length > 0 ? job.report({ ...progress }, run.done) : undefined);
            isLast = isEnd;
        }
    }
}

interface PageFacts {
    readonly route: MoveRoute;
    readonly progress: Progress;
}

/** The payloads of one page. */
class PageMove {

    counts: MoveCounts;
    /** Steps that correct the references of the payloads whose former bytes were removed. */
    readonly done: Step[] = [];
    readonly #switches = new KeyedLocks();
    readonly #parts: MoveJobsParts;
    readonly #job: RunningJob;
    readonly #facts: PageFacts;

    constructor(parts: MoveJobsParts, job: RunningJob, facts: PageFacts) {

        this.#parts = parts;
        this.#job = job;
        this.#facts = facts;
        const { moved, bytes, damaged } = facts.progress;
        this.counts = { moved, bytes, damaged };
    }

    /** Several at a time; those that share a blob after each other. */
    async all(page: readonly MovablePayload[]): Promise<void> {

        if (page.length === 0) {
            return;
        }

        await this.#parts.mover.demandRemovals(this.#facts.route);
        const waiting = byBlob(page);
        const results = await Promise.allSettled(Array.from({ length: WIDTH }, async () => {

            for (let next = waiting.shift(); next; next = waiting.shift()) {
                for (const payload of next) {
                    await this.#one(payload).catch((error: unknown) => {

                        waiting.length = 0;
                        throw error;
                    });
                }
            }
        }));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) {
            throw failed.reason;
        }
    }

    async #one(payload: MovablePayload): Promise<void> {

        const { mover, log } = this.#parts;
        const { route } = this.#facts;
        const { signal } = this.#job;
        signal.throwIfAborted();
        const store = await mover.storeOf(payload.blobId);
        if (store === route.to) {
            await this.#leave(payload);
            return;
        }

        if (store !== route.from) {
            return;
        }

        let copied: readonly Step[];
        try {
            copied = await mover.copy(payload, route, signal);
        }
        catch (error) {
            if (!(error instanceof DamagedSourceError)) {
                throw error;
            }

            log.error({ event: 'payloads.damaged', object: payload.objectId, payload: payload.name, reason: error.message }, 'damaged payload is not moved');
            this.counts = { ...this.counts, damaged: this.counts.damaged + 1 };
            return;
        }

        await this.#switch(payload, copied);
        if (!await this.#leave(payload)) {
            this.#count(-1, -payload.size);
        }
    }

    /**
     * Removes the former bytes of a payload that was moved, and tells whether it was; until then its reference keeps it in the pages of the next attempt.
     * Bytes in the other store are never removed here: this process may have been suspended, and another one may have gone on with the job since. What an
     * incomplete copy leaves is overwritten or swept.
     */
    async #leave(payload: MovablePayload): Promise<boolean> {

        const { mover } = this.#parts;
        const { route } = this.#facts;
        if (await mover.storeOf(payload.blobId) === route.to && !await mover.hasAll(route.to, payload)) {
            await this.#goBack(payload);
            return false;
        }

        for (;;) {
            this.#job.signal.throwIfAborted();
            const began = performance.now();
            if (await mover.storeOf(payload.blobId) !== route.to) {
                return false;
            }

            // Suspended for longer, it may since have been moved back.
            if (performance.now() - began < MAX_SUSPENSION_MS) {
                await mover.remove(route, payload.blobId);
                this.done.push(...mover.referSteps(payload, route));
                return true;
            }
        }
    }

    /**
     * Returns to the original of a payload whose copy was read back, and has lost bytes since: a process that was suspended while it removed what had been
     * moved the other way may have removed them. Where the original is incomplete as well, both are kept.
     */
    async #goBack(payload: MovablePayload): Promise<void> {

        const { mover, log } = this.#parts;
        const { route } = this.#facts;
        if (await mover.hasAll(route.from, payload)) {
            await this.#job.report({ ...this.#facts.progress, ...this.counts }, [mover.returnStep(payload, route)]);
            throw new Error(`the copy of blob ${payload.blobId} in ${route.to} is incomplete, it is copied again`);
        }

        log.error({ event: 'payloads.damaged', object: payload.objectId, payload: payload.name, reason: 'its copy is incomplete' }, 'damaged payload is not moved');
        this.counts = { ...this.counts, damaged: this.counts.damaged + 1 };
    }

    #count(payloads: number, size: number): void {

        const { moved, bytes, damaged } = this.counts;
        this.counts = { moved: moved + payloads, bytes: bytes + size, damaged };
    }

    /**
     * Written with the progress, and so only while this process has the job. One after the other: on several connections, an earlier count could be
     * stored after a later one, and be continued from when the process ends.
     */
    async #switch(payload: MovablePayload, copied: readonly Step[]): Promise<void> {

        await this.#switches.run('switch', () => {

            this.#count(1, payload.size);
            return this.#job.report({ ...this.#facts.progress, ...this.counts }, [...copied, ...this.#parts.mover.switchSteps(payload, this.#facts.route)]);
        });
    }
}

function byBlob(page: readonly MovablePayload[]): MovablePayload[][] {

    const found = new Map<number, MovablePayload[]>();
    for (const payload of page) {
        found.set(payload.blobId, [...found.get(payload.blobId) ?? [], payload]);
    }

    return [...found.values()];
}

/** Returns the stores between which payloads are moved, to the one for new payloads. */
export function moveRoute(usual: string, bucket: string): MoveRoute {

    return usual === bucket ? { from: DEFAULT_STORE, to: bucket } : { from: bucket, to: DEFAULT_STORE };
}
