/**
 * Bringing the records of all handles up to date, as a job in the background that goes on where it was after a crash
 * (interface specification, "Handle update status").
 */

import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import type { JsonObject } from '../util/json-types.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import type { JobRunner } from '../jobs/job-runner.js';
import type { JobStore } from '../stores/jobs/job-store.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import type { SettingStore } from '../stores/setting-store.js';
import { DESIGN_ID } from '../doip/ids.js';
import { isJsonObject } from '../util/json-types.js';
import type { HandleRecords } from './handle-records.js';

/** How far the update is, or how the last one ended; all zero before the first one. */
export interface HandleUpdateStatus {
    readonly inProgress: boolean;
    /** Handles to update: all objects but the design. */
    readonly total: number;
    /** Handles that were updated, or could not be. */
    readonly progress: number;
    /** Epoch ms. */
    readonly startTime: number;
    /** Handles that could not be updated. */
    readonly exceptionCount: number;
}

/** Brings records up to date. */
export interface RecordUpdater {
    /** Objects that it takes at a time. */
    readonly batch: number;
    /** Brings the records of some objects up to date; resolves to the number of those that failed. */
    update(ids: readonly string[], signal: AbortSignal): Promise<number>;
}

/** What the update works with. */
export interface HandleUpdateParts {
    readonly db: Database;
    readonly jobs: JobRunner;
    readonly jobStore: JobStore;
    readonly settings: SettingStore;
    readonly objects: ObjectScan;
    /** Makes sure that the design and the types are those of now. */
    readonly refresh: () => Promise<unknown>;
    readonly updater: RecordUpdater;
    readonly log: Log;
}

/** A status with the last id that was done, as the job reports it. */
type Reached = Omit<HandleUpdateStatus, 'inProgress'> & { readonly after: string; readonly isCounted: boolean };

const KIND = 'handles.update';
const NEVER: HandleUpdateStatus = { inProgress: false, total: 0, progress: 0, startTime: 0, exceptionCount: 0 };

/** After a crash the job goes on after so many milliseconds at most. */
const LEASE_MS = 10_000;

/** Milliseconds between two reports. */
const REPORT_MS = 250;

/** Starts updates and tells how far they are. */
export class HandleUpdate {

    readonly kind: JobKind = { kind: KIND, run: (job) => this.#run(job), leaseMs: LEASE_MS, maxAttempts: Infinity };
    readonly #parts: HandleUpdateParts;

    constructor(parts: HandleUpdateParts) {

        this.#parts = parts;
    }

    /** Begins an update; does nothing while there is one. */
    async start(): Promise<void> {

        const payload = { startTime: Date.now() };
        await this.#parts.jobs.enqueue({ kind: KIND, payload, dedup: { key: 'all', until: 'end' } });
    }

    /** The record that clients read. */
    async status(): Promise<HandleUpdateStatus> {

        const [job] = await this.#parts.jobStore.list({ kind: KIND, limit: 1 });
        if (job?.state === 'waiting' || job?.state === 'running') {
            return statusOf(reachedBy(job), true);
        }

        const last = await this.#parts.settings.get(KIND);
        return last === null ? NEVER : JSON.parse(last) as HandleUpdateStatus;
    }

    async #run(job: RunningJob): Promise<void> {

        const { db, settings, log } = this.#parts;
        let reached = reachedBy(job);
        if (!reached.isCounted) {
            reached = { ...reached, total: await this.#count(job.signal), isCounted: true };
            await job.report(reached);
        }

        reached = await this.#updateAll(reached, job);
        await job.report(reached);                          // Throws where somebody else has taken over
        const status = statusOf(reached, false);
        await db.commit({ steps: settings.setSteps(KIND, JSON.stringify(status)) });
        log.info({ ...status }, 'the records of all handles were updated');
    }

    async #updateAll(from: Reached, job: RunningJob): Promise<Reached> {

        const { updater, refresh } = this.#parts;
        const { signal } = job;
        let reached = from;
        let reportedAt = performance.now();
        for await (const ids of this.#ids(from.after, signal)) {
            for (let start = 0; start < ids.length; start += updater.batch) {
                signal.throwIfAborted();
                await refresh();
                const batch = ids.slice(start, start + updater.batch);
                reached = advanced(reached, batch, await updater.update(batch, signal));
                if (performance.now() - reportedAt >= REPORT_MS) {
                    await job.report(reached);
                    reportedAt = performance.now();
                }

                // On SQLite nothing of this waits for anything else.
                await setImmediate();
            }
        }

        return { ...reached, total: reached.progress };     // Objects may have come and gone meanwhile
    }

    async #count(signal: AbortSignal): Promise<number> {

        let total = 0;
        for await (const ids of this.#ids('', signal)) {
            total += ids.length;
        }

        return total;
    }

    /** The ids of all objects but the design, in blocks. Others get their turn between them. */
    async *#ids(after: string, signal: AbortSignal): AsyncGenerator<string[]> {

        for (let ids = await this.#parts.objects.idsAfter(after); ids.length > 0; ids = await this.#parts.objects.idsAfter(ids.at(-1) ?? '')) {
            yield ids.filter((id) => id !== DESIGN_ID);
            await setImmediate();
            signal.throwIfAborted();
        }
    }
}

function advanced(reached: Reached, batch: readonly string[], failed: number): Reached {

    const progress = reached.progress + batch.length;
    return {
        ...reached, progress,
        total: Math.max(reached.total, progress),
        exceptionCount: reached.exceptionCount + failed,
        after: batch.at(-1) ?? reached.after
    };
}

function statusOf({ total, progress, startTime, exceptionCount }: Reached, inProgress: boolean): HandleUpdateStatus {

    return { inProgress, total, progress, startTime, exceptionCount };
}

/** Where a job is: what it reported last, or the beginning. */
function reachedBy({ payload, progress }: Pick<RunningJob, 'payload' | 'progress'>): Reached {

    const { startTime }: JsonObject = isJsonObject(payload) ? payload : {};
    const beginning = { total: 0, progress: 0, startTime: Number(startTime ?? 0), exceptionCount: 0, after: '', isCounted: false };
    return isJsonObject(progress) ? { ...beginning, ...progress } : beginning;
}

/** Objects that are in memory at the same time. */
const BATCH = 16;

/** Computes the records of objects and tells how many cannot be. */
export function checkRecords({ records, objects, log }: { records: HandleRecords; objects: ObjectScan; log: Log }): RecordUpdater {

    const update = async (ids: readonly string[]): Promise<number> => {

        const faults: [handle: string, error: unknown][] = [];
        for (const object of await objects.byIds(ids)) {
            await records.ofPublic(object).catch((error: unknown) => faults.push([object.id, error]));
        }

        const [first] = faults;
        if (first) {
            log.warn({ handle: first[0], err: first[1], alike: faults.length }, 'the record of a handle cannot be computed');
        }

        return faults.length;
    };

    return { batch: BATCH, update };
}
