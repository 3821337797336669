/** Periodic jobs that clean up tables. */

import type { BlobSweeper, SweepOptions } from '../stores/blobs/blob-sweeper.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import { SingleFlight } from '../util/concurrency/single-flight.js';
import type { JobKind } from './job-kind.js';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** Unreferenced blobs are kept for a day, since they may be being downloaded; a staged blob expires after an hour without a sign of life. */
const SWEEP_OPTIONS: SweepOptions = { grace: DAY, stagedTtl: 60 * MINUTE, limit: 1000 };

/** Maximum number of blobs removed while a request waits. */
const REMOVED_WHILE_WAITING = 100;

/** How long outcomes of jobs are kept. */
const RETENTION_MS = 7 * DAY;
const PURGED_PER_BATCH = 500;

/** Removes unreferenced blobs by the clock `now`; on a nearly full disk at once, if that frees space of this disk. */
export function sweepBlobs(
    sweeper: BlobSweeper, now: () => number, { isShort, ...options }: Partial<SweepOptions> & { isShort?: () => boolean } = {}
): JobKind {

    return {
        kind: 'blobs.sweep',
        repeatMs: MINUTE,
        run: async ({ signal }) => {

            const limits = { ...SWEEP_OPTIONS, ...options, signal };
            if (isShort?.()) {
                await sweepAll(sweeper, now, { ...limits, grace: 0, isForSpace: true });
            }

            await sweepAll(sweeper, now, limits);
        }
    };
}

/** Sweeps until little is left: of those that were found, some may be in use. */
async function sweepAll(sweeper: BlobSweeper, now: () => number, limits: SweepOptions & { readonly signal: AbortSignal }): Promise<void> {

    let removed: number;
    do {
        limits.signal.throwIfAborted();
        const { staged, unlinked } = await sweeper.sweep(now(), limits);
        removed = Math.max(staged, unlinked);
    }
    while (removed >= limits.limit / 2);
}

/** Removes unreferenced blobs at once, for writes that need disk space; concurrent calls share a run that begins after them. */
export function freeSpace(sweeper: BlobSweeper, now: () => number): () => Promise<unknown> {

    const sweeping = new SingleFlight<unknown>();
    return () => sweeping.runFresh(() => sweeper.sweep(now(), { ...SWEEP_OPTIONS, grace: 0, limit: REMOVED_WHILE_WAITING, isForSpace: true }));
}

/** Deletes jobs that ended long ago. */
export function purgeJobs(store: JobStore): JobKind {

    return {
        kind: 'jobs.purge',
        repeatMs: 60 * MINUTE,
        run: async ({ signal }) => {

            let purged: number;
            do {
                signal.throwIfAborted();
                purged = await store.purge(store.now() - RETENTION_MS, PURGED_PER_BATCH);
            }
            while (purged === PURGED_PER_BATCH);
        }
    };
}
