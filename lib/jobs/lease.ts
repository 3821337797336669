/** Lease on a job, renewed while the job runs. */

import type { JobStore, LeasedJob } from '../stores/jobs/job-store.js';

export interface LeaseTime {
    /** Duration in milliseconds. */
    readonly leaseMs: number;
    /** When it was asked for, by the monotonic clock. */
    readonly heldSince: number;
}

const LOST = 'the lease of the job is lost';

/** Renews the lease of a job while it runs. */
export class Lease {

    readonly #controller = new AbortController();
    readonly #renewal: NodeJS.Timeout;
    #expiry: NodeJS.Timeout | undefined;
    /** By the monotonic clock, as the time of the machine may be changed. Others see each renewal later than it was asked for, and wait for as long. */
    #heldUntil = 0;
    #isEnded = false;

    constructor(job: LeasedJob, { leaseMs, heldSince }: LeaseTime, store: JobStore) {

        this.#hold(heldSince + leaseMs);
        this.#renewal = setInterval(() => {

            const renewedOn = performance.now();
            this.check(store.renew(job, leaseMs)).then(() => {

                this.#hold(renewedOn + leaseMs);
            }, () => {
                // The next renewal may succeed; until the lease expires no other process can claim the job.
            });
        }, leaseMs / 3).unref();
    }

    /** A renewal that is not answered must not hold up the end of the job. */
    #hold(until: number): void {

        clearTimeout(this.#expiry);
        this.#heldUntil = until;
        if (!this.#isEnded) {
            this.#expiry = setTimeout(() => this.#controller.abort(new Error(LOST)), until - performance.now()).unref();
        }
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

        this.#isEnded = true;
        clearInterval(this.#renewal);
        clearTimeout(this.#expiry);
    }

    #lost(): never {

        const error = new Error(LOST);
        this.#controller.abort(error);
        throw error;
    }
}
