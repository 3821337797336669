/** Worker for the jobs of one kind in this process: claims due ones, runs them concurrently, and records their outcomes. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../db/log.js';
import { WorkTally } from '../util/work-tally.js';
import type { JobStore, JobTimes, LeasedJob } from '../stores/jobs/job-store.js';
import { defaultBackOff, longestWait } from './job-kind.js';
import type { JobKind } from './job-kind.js';
import { Lease, presentMoment, type LeaseTime } from './lease.js';

export interface JobWorkerOptions {
    readonly log: Log;
    /** Called when there is no further job to claim now: the next one may be due soon. */
    readonly onDry: () => void;
}

/** Jobs of one kind in this process. */
export interface JobLoad {
    readonly kind: string;
    readonly running: number;
    /** Attempts that ended. */
    readonly runs: WorkTally;
}

const LEASE_MS = 10_000;
const MAX_ATTEMPTS = 10;

/** Number of attempts to record an outcome, and milliseconds between them. */
const RETRIES = 120;
const RETRY_MS = 500;

/** Faults of a database that end while jobs wait. */
const OUTAGES: ReadonlySet<unknown> = new Set(['full', 'stalled', 'unavailable', 'unknown-outcome']);

/** Milliseconds before the next attempt during an outage: the first, and the maximum. */
const OUTAGE_PAUSE_MS = 1000;
const MAX_OUTAGE_PAUSE_MS = 60_000;

/** Deduplication key of periodic kinds. */
const REPEATING = { key: 'repeating', until: 'end' } as const;

/** Jobs of one kind in this process. */
export class JobWorker {

    readonly #kind: JobKind;
    readonly #store: JobStore;
    readonly #options: JobWorkerOptions;
    readonly #running = new Map<Lease, Promise<void>>();
    readonly #runs = new WorkTally();
    readonly #times: JobTimes;
    /** The claims in progress, and whether more are to follow. */
    #claiming: Promise<void> | null = null;
    #again = false;
    #started = false;
    /** True when the table is known to contain the periodic job. */
    #planned = false;
    /** When attempts began to end because of an outage, by the monotonic clock. */
    #outageSince: number | null = null;

    constructor(kind: JobKind, store: JobStore, options: JobWorkerOptions) {

        this.#kind = kind;
        this.#store = store;
        this.#options = options;
        this.#times = { leaseMs: kind.leaseMs ?? LEASE_MS, longestWaitMs: longestWait(kind) };
    }

    /** Current load; reads counters only. */
    get load(): JobLoad {

        return { kind: this.#kind.kind, running: this.#running.size, runs: this.#runs };
    }

    /** What the table must know to find jobs to claim. */
    get times(): JobTimes {

        return this.#times;
    }

    /** True when it can take a further job. */
    get hasRoom(): boolean {

        return this.#started && this.#running.size < (this.#kind.concurrency ?? 1);
    }

    start(): void {

        this.#started = true;
    }

    /** Claims jobs now, or again after the claims in progress. */
    wake(): void {

        if (!this.#started) {
            return;
        }

        if (this.#claiming) {
            this.#again = true;
            return;
        }

        this.#claiming = this.#claimDue().finally(() => {

            this.#claiming = null;
            if (this.#again) {
                this.#again = false;
                this.wake();
            }
        });
    }

    /** Aborts running jobs and waits for them. */
    async stop(): Promise<void> {

        this.#started = false;
        await this.#claiming;
        for (const lease of this.#running.keys()) {
            lease.abort(new Error('the service stops'));
        }

        await Promise.all(this.#running.values());
    }

    /** Plans the first run of a periodic kind. */
    async plan(): Promise<void> {

        const { kind, repeatMs } = this.#kind;
        if (repeatMs !== undefined && !this.#planned) {
            await this.#store.enqueue({ kind, payload: null, runAt: this.#store.now() + repeatMs, dedup: REPEATING });
            this.#planned = true;
        }
    }

    /** Starts due jobs up to the concurrency. */
    async #claimDue(): Promise<void> {

        const { kind } = this.#kind;
        const { leaseMs } = this.#times;
        try {
            while (this.hasRoom) {
                const claimedOn = presentMoment();
                const job = await this.#store.claim(kind, this.#times);
                if (!job) {
                    this.#options.onDry();
                    return;
                }

                this.#run(job, { leaseMs, heldSince: claimedOn });
            }
        }
        catch (error) {
            this.#options.log.error({ event: 'job.poll-failed', err: error, job: kind }, 'failed to read the job table');
        }
    }

    #run(leased: LeasedJob, time: LeaseTime): void {

        const lease = new Lease(leased, time, this.#store);
        this.#running.set(lease, this.#work(leased, lease).catch((error: unknown) => {

            // Its lease expires and the job is run again.
            this.#options.log.error({ event: 'job.result-failed', err: error, job: leased.kind, id: leased.id }, 'failed to store job result');
        }).finally(() => {

            this.#running.delete(lease);
            this.wake();
        }));
    }

    async #work(leased: LeasedJob, lease: Lease): Promise<void> {

        const { id, payload, progress, attempts } = leased;
        let recordEnd = (): Promise<unknown> => this.#done(leased);
        try {
            await this.#runs.run(async () => this.#kind.run({
                id, payload, progress, attempts,
                signal: lease.signal,
                checkLease: () => lease.assertHeld(),
                report: async (value, steps) => {

                    await lease.check(this.#store.report(leased, value, steps));
                }
            }));
        }
        catch (error) {
            recordEnd = () => this.#failed(leased, error);
        }

        try {
            await untilWritten(recordEnd, lease);
        }
        finally {
            lease.end();
        }
    }

    async #done(job: LeasedJob): Promise<void> {

        const { repeatMs, isForgotten } = this.#kind;
        this.#outageSince = null;
        if (repeatMs !== undefined) {
            await this.#store.repeat(job, this.#store.now() + repeatMs);
        }
        else if (isForgotten) {
            await this.#store.forget(job);
        }
        else {
            await this.#store.complete(job);
        }
    }

    async #failed(job: LeasedJob, error: unknown): Promise<void> {

        if (!this.#started) {
            await this.#store.release(job);
            return;
        }

        const { backOff = defaultBackOff, repeatMs, maxAttempts = repeatMs === undefined ? MAX_ATTEMPTS : Infinity } = this.#kind;
        const isOutage = this.#isOutage(error);
        const final = !isOutage && (job.attempts >= maxAttempts || this.#kind.isFinal?.(error) === true);
        this.#options.log[final ? 'error' : 'warn']({ event: final ? 'job.failed' : 'job.retried', err: error, job: job.kind, id: job.id, attempts: job.attempts },
            final ? 'job failed' : 'job failed, retrying');
        const message = error instanceof Error ? error.message : String(error);
        if (isOutage) {
            await this.#store.defer(job, message, this.#store.now() + this.#outagePause(backOff));
            return;
        }

        this.#outageSince = null;
        await this.#store.fail(job, message, final ? null : this.#store.now() + backOff(job.attempts));
    }

    #isOutage(error: unknown): boolean {

        return OUTAGES.has((error as { fault?: unknown } | null)?.fault) || this.#kind.isOutage?.(error) === true;
    }

    /** As long as the outage has been so far, since the attempts during one do not count. */
    #outagePause(backOff: (attempts: number) => number): number {

        const now = performance.now();
        this.#outageSince ??= now;
        return Math.min(MAX_OUTAGE_PAUSE_MS, backOff(Infinity), Math.max(OUTAGE_PAUSE_MS, now - this.#outageSince));
    }
}

/** Records an outcome, with retries during a database outage, until the lease may have expired. */
async function untilWritten(write: () => Promise<unknown>, { signal }: Lease): Promise<void> {

    for (let attempt = 1; ; ++attempt) {
        try {
            await write();
            return;
        }
        catch (error) {
            if (signal.aborted || attempt === RETRIES) {
                throw error;
            }
        }

        await sleep(RETRY_MS, undefined, { ref: false });
    }
}
