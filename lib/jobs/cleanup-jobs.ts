/**
 * The repeating jobs that keep the tables small.
 */

import type { BlobSweeper, SweepOptions } from '../stores/blobs/blob-sweeper.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import type { JobKind } from './job-kind.js';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** A download may take a day, an upload that gives no sign of life an hour. */
const SWEEP_OPTIONS: SweepOptions = { grace: DAY, stagedTtl: 60 * MINUTE, limit: 1000 };

/** Most blobs that are removed while a request waits. */
const REMOVED_WHILE_WAITING = 100;

/** How long the outcome of a job can be asked for. */
const RETENTION_MS = 7 * DAY;
const PURGED_PER_BATCH = 500;

/** Removes bytes that nobody needs; on a disk that is nearly full also those that somebody may still be downloading from elsewhere. */
export function sweepBlobs(sweeper: BlobSweeper, { isShort, ...options }: Partial<SweepOptions> & { isShort?: () => boolean } = {}): JobKind {

    return {
        kind: 'blobs.sweep',
        repeatMs: MINUTE,
        run: async ({ signal }) => {

            const grace = isShort?.() ? { grace: 0 } : {};
            await sweeper.sweep(Date.now(), { ...SWEEP_OPTIONS, ...grace, ...options, signal });
        }
    };
}

/** Removes the bytes that nobody needs right now, for somebody who waits. */
export function makeRoom(sweeper: BlobSweeper): () => Promise<unknown> {

    return () => sweeper.sweep(Date.now(), { ...SWEEP_OPTIONS, grace: 0, limit: REMOVED_WHILE_WAITING });
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
                purged = await store.purge(Date.now() - RETENTION_MS, PURGED_PER_BATCH);
            }
            while (purged === PURGED_PER_BATCH);
        }
    };
}
