/** Lease on a job, renewed while the job runs. */

import type { JobStore, LeasedJob } from '../stores/jobs/job-store.js';

/**
 * A moment, by the monotonic clock, as the time of the machine may be set back, and by the time of the machine, which goes on where the monotonic
 * clock stops, as in a virtual machine that is suspended.
 */
export interface Moment {
    readonly monotonic: number;
    readonly date: number;
}

/** Returns the present moment. */
export function presentMoment(): Moment {

    return { monotonic: performance.now(), date: Date.now() };
}

export interface LeaseTime {
    /** Duration in milliseconds. */
    readonly leaseMs: number;
    /** When it was asked for. */
    readonly heldSince: Moment;
}

const LOST = 'the lease of the job is lost';

/** Renews the lease of a job while it runs. */
export class Lease {

    readonly #controller = new AbortController();
    readonly #renewal: NodeJS.Timeout;
    #expiry: NodeJS.Timeout | undefined;
    readonly #leaseMs: number;
    /** When it was asked for or renewed last. Others see each renewal later than it was asked for, and wait for as long. */
    #heldSince!: Moment;
    #isEnded = false;

    constructor(job: LeasedJob, { leaseMs, heldSince }: LeaseTime, store: JobStore) {

        this.#leaseMs = leaseMs;
        this.#hold(heldSince);
        this.#renewal = setInterval(() => {

            const renewedOn = presentMoment();
            this.check(store.renew(job, leaseMs)).then(() => {

                this.#hold(renewedOn);
            }, () => {
                // The next renewal may succeed; until the lease expires no other process can claim the job.
            });
        }, leaseMs / 3).unref();
    }

    /** A renewal that is not answered must not hold up the end of the job. */
    #hold(since: Moment): void {

        clearTimeout(this.#expiry);
        this.#heldSince = since;
        if (!this.#isEnded) {
            this.#expiry = setTimeout(() => this.#controller.abort(new Error(LOST)), since.monotonic + this.#leaseMs - performance.now()).unref();
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
        const { monotonic, date } = presentMoment();
        if (Math.max(monotonic - this.#heldSince.monotonic, date - this.#heldSince.date) > this.#leaseMs) {
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
