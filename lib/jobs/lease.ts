/**
 * The right to work on a job, renewed while the job runs.
 */

import type { JobStore, LeasedJob } from '../stores/jobs/job-store.js';

/** Renews the lease of a job while it runs. */
export class Lease {

    readonly #controller = new AbortController();
    readonly #timer: NodeJS.Timeout;
    #heldUntil: number;

    constructor(job: LeasedJob, leaseMs: number, store: JobStore) {

        this.#heldUntil = Date.now() + leaseMs;
        this.#timer = setInterval(() => {

            this.check(store.renew(job, leaseMs)).then(() => {

                this.#heldUntil = Date.now() + leaseMs;
            }, (error: unknown) => {

                // The database may be back in time for the next attempt; until the lease has run out nobody else has the job.
                if (Date.now() > this.#heldUntil) {
                    this.#controller.abort(error);
                }
            });
        }, leaseMs / 3).unref();
    }

    /** Fires when the work must end: somebody else may have the job, or the service stops. */
    get signal(): AbortSignal {

        return this.#controller.signal;
    }

    /** Tells whoever works on the job to stop. */
    abort(reason: Error): void {

        this.#controller.abort(reason);
    }

    /** Throws, and fires the signal, when a change found the lease lost. */
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
