/** Lease on a job, renewed while the job runs. */

import type { JobStore, LeasedJob } from '../stores/jobs/job-store.js';

/** Renews the lease of a job while it runs. */
export class Lease {

    readonly #controller = new AbortController();
    readonly #timer: NodeJS.Timeout;
    /** By the monotonic clock: the time of the machine may be changed. */
    #heldUntil: number;

    constructor(job: LeasedJob, leaseMs: number, store: JobStore) {

        this.#heldUntil = performance.now() + leaseMs;
        this.#timer = setInterval(() => {

            this.check(store.renew(job, leaseMs)).then(() => {

                this.#heldUntil = performance.now() + leaseMs;
            }, (error: unknown) => {

                // The next renewal may succeed; until the lease expires no other process can claim the job.
                if (performance.now() > this.#heldUntil) {
                    this.#controller.abort(error);
                }
            });
        }, leaseMs / 3).unref();
    }

    /** Aborted when the job must stop: another process may have claimed it, or the service stops. */
    get signal(): AbortSignal {

        return this.#controller.signal;
    }

    /** Aborts the job. */
    abort(reason: Error): void {

        this.#controller.abort(reason);
    }

    /** Throws and aborts the signal when a change finds the lease lost. */
    async check(change: Promise<boolean>): Promise<void> {

        if (!await change) {
            const error = new Error('the lease of the job is lost');
            this.#controller.abort(error);
            throw error;
        }
    }

    end(): void {

        clearInterval(this.#timer);
    }
}
