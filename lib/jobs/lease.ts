/** Lease on a job, renewed while the job runs. */

import type { JobStore, LeasedJob } from '../stores/jobs/job-store.js';

export interface LeaseTime {
    /** Duration in milliseconds. */
    readonly leaseMs: number;
    /** When it was asked for, by the monotonic clock. */
    readonly heldSince: number;
}

/** Renews the lease of a job while it runs. */
export class Lease {

    readonly #controller = new AbortController();
    readonly #timer: NodeJS.Timeout;
    /** By the monotonic clock, as the time of the machine may be changed, and not later than in the table. */
    #heldUntil: number;

    constructor(job: LeasedJob, { leaseMs, heldSince }: LeaseTime, store: JobStore) {

        this.#heldUntil = heldSince + leaseMs;
        this.#timer = setInterval(() => {

            const renewedOn = performance.now();
            this.check(store.renew(job, leaseMs)).then(() => {

                this.#heldUntil = renewedOn + leaseMs;
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

    /** Throws, and aborts the signal, when the lease may have expired. */
    assertHeld(): void {

        this.#controller.signal.throwIfAborted();
        if (performance.now() > this.#heldUntil) {
            this.#lost();
        }
    }

    /** Throws and aborts the signal when a change finds the lease lost. */
    async check(change: Promise<boolean>): Promise<void> {

        if (!await change) {
            this.#lost();
        }
    }

    end(): void {

        clearInterval(this.#timer);
    }

    #lost(): never {

        const error = new Error('the lease of the job is lost');
        this.#controller.abort(error);
        throw error;
    }
}
