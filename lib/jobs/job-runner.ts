/**
 * Runs background jobs in this process: one worker per registered kind claims due jobs, up to the concurrency of the kind. Jobs enqueued
 * here start at once; those of other processes are found by polling, with one statement for all kinds.
 */

import type { Log } from '../../db/log.js';
import type { JobStore, NewJob } from '../stores/jobs/job-store.js';
import type { JobKind } from './job-kind.js';
import { JobWorker } from './job-worker.js';
import type { JobLoad } from './job-worker.js';

export interface JobRunnerOptions {
    readonly log: Log;
    /** Maximum polling interval in milliseconds; default 5 seconds. */
    readonly pollMs?: number;
}

const POLL_MS = 5000;

/** Minimum pause in milliseconds before a job is claimed that was due when no job could be claimed: another process may be about to claim it. */
const MIN_PAUSE_MS = 10;

/**
 * Nodes that share a database wake at different times for a job that will be due, up to this part of the time until then, and this many ms,
 * later: the first one takes it.
 */
const SPREAD = 0.1;
const MAX_SPREAD_MS = 500;

/** Runs jobs. Register kinds, then start. */
export class JobRunner {

    readonly #store: JobStore;
    readonly #options: Required<JobRunnerOptions>;
    readonly #workers = new Map<string, JobWorker>();
    /** Kinds of which no job could be claimed since the last poll. */
    readonly #dry = new Set<string>();
    #timer: NodeJS.Timeout | undefined;
    /** The poll in progress, and whether another one is to follow. */
    #polling: Promise<void> | null = null;
    #again = false;
    #started = false;

    constructor(store: JobStore, options: JobRunnerOptions) {

        this.#store = store;
        this.#options = { pollMs: POLL_MS, ...options };
    }

    /** Registers a kind. Throws for a duplicate name. */
    register(kind: JobKind): void {

        if (this.#workers.has(kind.kind)) {
            throw new Error(`job kind ${kind.kind} is registered already`);
        }

        const onDry = (): void => {

            this.#dry.add(kind.kind);
            this.#poll();
        };

        const worker = new JobWorker(kind, this.#store, { log: this.#options.log, onDry });
        this.#workers.set(kind.kind, worker);
        if (this.#started) {
            worker.start();
            this.#poll();
        }
    }

    /** Starts all workers. */
    start(): void {

        this.#started = true;
        for (const worker of this.#workers.values()) {
            worker.start();
        }

        this.#poll();
    }

    /** Enqueues a job, and starts it if the concurrency allows. Returns false when `dedup` found an existing one. */
    async enqueue(job: NewJob): Promise<boolean> {

        const added = await this.#store.enqueue(job);
        this.wake(job.kind);
        return added;
    }

    /** Claims jobs of a kind now, after a unit with an enqueue step was committed. */
    wake(kind: string): void {

        this.#workers.get(kind)?.wake();
    }

    /** Current load by kind; reads counters only. */
    get load(): readonly JobLoad[] {

        return [...this.#workers.values()].map(({ load }) => load);
    }

    /** Aborts running jobs and waits for their safe points; unfinished ones return to the table. */
    async stop(): Promise<void> {

        this.#started = false;
        await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
        await this.#polling;
        clearTimeout(this.#timer);
    }

    /** Polls now, or again after the poll in progress. */
    #poll(): void {

        if (!this.#started) {
            return;
        }

        if (this.#polling) {
            this.#again = true;
            return;
        }

        clearTimeout(this.#timer);
        this.#polling = this.#wakeDue().then((pause) => {

            this.#polling = null;
            if (this.#again) {
                this.#again = false;
                this.#poll();
            }
            else if (this.#started) {
                this.#timer = setTimeout(() => this.#poll(), pause).unref();
            }
        });
    }

    #spread(wait: number): number {

        return this.#store.isShared ? Math.random() * Math.min(MAX_SPREAD_MS, Math.max(0, wait) * SPREAD) : 0;
    }

    /** Wakes the workers of due jobs. Resolves to the milliseconds until the next one may be due; never rejects. */
    async #wakeDue(): Promise<number> {

        const { log, pollMs } = this.#options;
        const dry = new Set(this.#dry);
        this.#dry.clear();
        let pause = pollMs;
        try {
            await Promise.all([...this.#workers.values()].map((worker) => worker.plan()));
            const waits = await this.#store.waits(new Map([...this.#workers].map(([kind, { times }]) => [kind, times])));
            for (const [kind, worker] of this.#workers) {
                const wait = waits.get(kind) ?? Infinity;
                if (wait <= 0 && !dry.has(kind)) {
                    worker.wake();
                }
                else if (worker.hasRoom) {
                    pause = Math.max(MIN_PAUSE_MS, Math.min(pause, wait + this.#spread(wait)));
                }
            }
        }
        catch (error) {
            log.error({ event: 'job.poll-failed', err: error }, 'failed to read the job table');
        }

        return pause;
    }
}
