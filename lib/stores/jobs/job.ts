/**
 * A stored job.
 */

import type { JsonValue } from '../../util/json-types.js';

/** `waiting` to be due, `running` on some node, `done`, or `failed` permanently. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed';

/** A job as stored. Times are epoch ms. */
export interface Job {
    readonly id: number;
    readonly kind: string;
    readonly state: JobState;
    readonly payload: JsonValue;
    /** Last reported progress, or null. */
    readonly progress: JsonValue;
    /** Earliest time to run. */
    readonly runAt: number;
    /** Number of starts. */
    readonly attempts: number;
    /** Message of the last error. */
    readonly lastError: string | null;
    readonly createdOn: number;
    readonly updatedOn: number;
}
