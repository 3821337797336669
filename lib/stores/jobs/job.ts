/**
 * A job as it is stored.
 */

import type { JsonValue } from '../../util/json-types.js';

/** `waiting` for its time, `running` somewhere, `done`, or `failed` for good. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed';

/** A job as it is in the table. Times are epoch ms. */
export interface Job {
    readonly id: number;
    readonly kind: string;
    readonly state: JobState;
    readonly payload: JsonValue;
    /** What the job last reported, or null. */
    readonly progress: JsonValue;
    /** Not before this time. */
    readonly runAt: number;
    /** How often it was started. */
    readonly attempts: number;
    /** Message of the last failure. */
    readonly lastError: string | null;
    readonly createdOn: number;
    readonly updatedOn: number;
}
