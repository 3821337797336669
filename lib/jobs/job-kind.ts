/**
 * What a kind of background work is. Jobs are done at least once: after a crash a job starts again from its last report.
 */

import type { Step } from '../../db/database.js';
import type { JsonValue } from '../util/json-types.js';

/** A job at work. */
export interface RunningJob {
    readonly id: number;
    readonly payload: JsonValue;
    /** The last report of an earlier attempt, or null. */
    readonly progress: JsonValue;
    /** 1 the first time. */
    readonly attempts: number;
    /** Fires when the service stops or the lease is lost. The job then throws its reason at the next safe point. */
    readonly signal: AbortSignal;
    /** Writes down how far the job is, for those who ask and for the next attempt, together with further steps. */
    report(progress: JsonValue, steps?: readonly Step[]): Promise<void>;
}

/** A kind of work. */
export interface JobKind {
    /** Up to 255 bytes, the same in all processes. */
    readonly kind: string;
    /** Does one job. What it throws is kept as the job's last error. */
    readonly run: (job: RunningJob) => Promise<void>;
    /** Jobs of this kind at the same time in this process; default 1. */
    readonly concurrency?: number;
    /** After so many attempts a job has failed for good; default 10. */
    readonly maxAttempts?: number;
    /** Milliseconds before the next attempt; default doubles from a second to an hour. */
    readonly backOff?: (attempts: number) => number;
    /** Milliseconds after which others may take over a job of a process that died; default a minute. */
    readonly leaseMs?: number;
    /** True to forget a job as soon as it is done: for many small ones, about which nobody asks. */
    readonly isForgotten?: boolean;
    /** Makes this a kind with one job that repeats, so many milliseconds after it has ended. */
    readonly repeatMs?: number;
}

/** One second, two, four … an hour; the random part keeps jobs that failed together apart. */
export function defaultBackOff(attempts: number): number {

    const full = Math.min(60 * 60 * 1000, 1000 * 2 ** (attempts - 1));
    return full / 2 + Math.random() * full / 2;
}
