/**
 * Runs background jobs in this process: one worker per registered kind claims due jobs, up to the concurrency of the kind. Jobs enqueued
 * here start at once; those of other processes are found by polling.
 */

import type { JobStore, NewJob } from '../stores/jobs/job-store.js';
import type { JobKind } from './job-kind.js';
import { JobWorker } from './job-worker.js';
import type { JobLoad, JobWorkerOptions } from './job-worker.js';

/** Options; `pollMs` defaults to 5 seconds, `now` to the system clock. */
export type JobRunnerOptions = Pick<JobWorkerOptions, 'log'> & Partial<JobWorkerOptions>;

const POLL_MS = 5000;

/** Runs jobs. Register kinds, then start. */
export class JobRunner {

    readonly #store: JobStore;
    readonly #options: JobWorkerOptions;
    readonly #workers = new Map<string, JobWorker>();
    #started = false;

    constructor(store: JobStore, options: JobRunnerOptions) {

        this.#store = store;
        this.#options = { pollMs: POLL_MS, now: Date.now, ...options };
    }

    /** Registers a kind. Throws for a duplicate name. */
    register(kind: JobKind): void {

        if (this.#workers.has(kind.kind)) {
            throw new Error(`job kind ${kind.kind} is registered already`);
        }

        const worker = new JobWorker(kind, this.#store, this.#options);
        this.#workers.set(kind.kind, worker);
        if (this.#started) {
            worker.start();
        }
    }

    /** Starts all workers. */
    start(): void {

        this.#started = true;
        for (const worker of this.#workers.values()) {
            worker.start();
        }
    }

    /** Enqueues a job, and starts it if the concurrency allows. Returns false when `dedup` found an existing one. */
    async enqueue(job: NewJob): Promise<boolean> {

        const added = await this.#store.enqueue(job);
        this.wake(job.kind);
        return added;
    }

    /** Polls for jobs of a kind now, after a unit with an enqueue step was committed. */
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
    }
}
