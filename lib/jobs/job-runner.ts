/**
 * Runs background work in this process: every registered kind has a lane that claims due jobs, as many at a time as the kind
 * allows. Jobs enqueued here start at once, jobs of other processes are found by polling.
 */

import type { JobStore, NewJob } from '../stores/jobs/job-store.js';
import type { JobKind } from './job-kind.js';
import { JobWorker } from './job-worker.js';
import type { JobWorkerOptions } from './job-worker.js';

/** How the runner works; `pollMs` is 5 seconds and `now` the system's clock unless said otherwise. */
export type JobRunnerOptions = Pick<JobWorkerOptions, 'log'> & Partial<JobWorkerOptions>;

const POLL_MS = 5000;

/** Runs jobs. Register kinds, then start. */
export class JobRunner {

    readonly #store: JobStore;
    readonly #options: JobWorkerOptions;
    readonly #lanes = new Map<string, JobWorker>();
    #started = false;

    constructor(store: JobStore, options: JobRunnerOptions) {

        this.#store = store;
        this.#options = { pollMs: POLL_MS, now: Date.now, ...options };
    }

    /** Adds a kind; throws when there is one of that name. */
    register(kind: JobKind): void {

        if (this.#lanes.has(kind.kind)) {
            throw new Error(`job kind ${kind.kind} is registered already`);
        }

        const lane = new JobWorker(kind, this.#store, this.#options);
        this.#lanes.set(kind.kind, lane);
        if (this.#started) {
            lane.start();
        }
    }

    /** Starts to work. */
    start(): void {

        this.#started = true;
        for (const lane of this.#lanes.values()) {
            lane.start();
        }
    }

    /** Adds a job and starts it if there is room; false when `dedup` found one. */
    async enqueue(job: NewJob): Promise<boolean> {

        const added = await this.#store.enqueue(job);
        this.wake(job.kind);
        return added;
    }

    /** Says that there may be jobs of a kind, after a unit with an enqueue step was committed. */
    wake(kind: string): void {

        this.#lanes.get(kind)?.wake();
    }

    /** Tells running jobs to stop and waits until they have reached a safe point; what is unfinished goes back to the table. */
    async stop(): Promise<void> {

        this.#started = false;
        await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    }
}
