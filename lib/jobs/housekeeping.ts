/**
 * The repeating jobs that keep the tables small.
 */

import type { BlobSweeper, SweepOptions } from '../stores/blob-sweeper.js';
import type { JobStore } from '../stores/job-store.js';
import type { JobKind } from './job-kind.js';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** A download may take a day, an upload that gives no sign of life an hour. */
const PATIENCE: SweepOptions = { grace: DAY, stagedTtl: 60 * MINUTE, limit: 1000 };

/** How long the outcome of a job can be asked for. */
const KEPT_MS = 7 * DAY;
const PURGED_AT_ONCE = 500;

/** Removes bytes that nobody needs. */
export function sweepBlobs(sweeper: BlobSweeper, options: Partial<SweepOptions> = {}): JobKind {

    return {
        kind: 'blobs.sweep',
        repeatMs: 10 * MINUTE,
        run: async ({ signal }) => {

            await sweeper.sweep(Date.now(), { ...PATIENCE, ...options, signal });
        }
    };
}

/** Forgets jobs that ended long ago. */
export function purgeJobs(store: JobStore): JobKind {

    return {
        kind: 'jobs.purge',
        repeatMs: 60 * MINUTE,
        run: async ({ signal }) => {

            let purged: number;
            do {
                signal.throwIfAborted();
                purged = await store.purge(Date.now() - KEPT_MS, PURGED_AT_ONCE);
            }
            while (purged === PURGED_AT_ONCE);
        }
    };
}
