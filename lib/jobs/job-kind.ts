/** Definition of a kind of background work. Execution is at least once: after a crash a job restarts from its last report. */

import type { Step } from '../../db/database.js';
import type { JsonValue } from '../util/json-types.js';
import type { Job } from '../stores/jobs/job-store.js';

const MAX_PAUSE_MS = 60 * 60 * 1000;

/** Clocks that differ by less make no job begin before its time. */
const CLOCK_TOLERANCE_MS = 5000;

/** A job in progress. */
export interface RunningJob extends Pick<Job, 'id' | 'payload' | 'progress' | 'attempts'> {
    /** Aborted when the service stops or the lease is lost. The job must then throw its reason at the next safe point. */
    readonly signal: AbortSignal;
    /**
     * Throws when the lease may have expired. To be called before a write that depends on what was read under the lease: a process that was stopped
     * goes on without an aborted signal at first.
     */
    checkLease(): void;
    /** Saves progress, for status queries and the next attempt, atomically with further steps. */
    report(progress: JsonValue, steps?: readonly Step[]): Promise<void>;
}

/** A kind of job. */
export interface JobKind {
    /** At most 255 bytes; the same in all processes. */
    readonly kind: string;
    /** Performs one job. An error is stored as the job's last error. */
    readonly run: (job: RunningJob) => Promise<void>;
    /** Maximum number of concurrent jobs of this kind in this process; default 1. */
    readonly concurrency?: number;
    /** Number of attempts after which a job has failed permanently; default 10. Those that an outage ended are not among them. */
    readonly maxAttempts?: number;
    /** True for errors after which a job has failed permanently, whatever the number of attempts is. */
    readonly isFinal?: (error: unknown) => boolean;
    /** True for errors that are no fault of the job, as something else is away for a while. Those of the database are known. */
    readonly isOutage?: (error: unknown) => boolean;
    /** Returns milliseconds before the next attempt, for Infinity the most that it ever returns; by default doubling from one second to an hour. */
    readonly backOff?: (attempts: number) => number;
    /** Milliseconds after which another process may take over the job of one that died; default 10 seconds. */
    readonly leaseMs?: number;
    /** True to delete a job when it is done: for many small jobs whose outcome is not queried. */
    readonly isForgotten?: boolean;
    /** Milliseconds between the end of a run and the next; makes this a single periodic job. */
    readonly repeatMs?: number;
}

/** Returns the milliseconds after which a job of a kind that waits is due, whatever its time is: it was stored while a clock was ahead. */
export function longestWait({ backOff, repeatMs = 0 }: JobKind): number {

    return CLOCK_TOLERANCE_MS + Math.max(repeatMs, backOff ? backOff(Infinity) : MAX_PAUSE_MS);
}

/** Exponential back-off from one second to an hour, with jitter for jobs that failed together. */
export function defaultBackOff(attempts: number): number {

    const full = Math.min(MAX_PAUSE_MS, 1000 * 2 ** (attempts - 1));
    return full / 2 + Math.random() * full / 2;
}
