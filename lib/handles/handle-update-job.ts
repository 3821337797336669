/**
 * Background job that updates the records of all handles and resumes after a crash (interface specification, "Handle update
 * status").
 */

import { setImmediate } from 'node:timers/promises';
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

/** Progress of the update, or the result of the last one; all zero before the first. */
export interface HandleUpdateStatus {
    readonly inProgress: boolean;
    /** Number of handles to update: all objects except the design. */
    readonly total: number;
    /** Number of handles processed, including failures. */
    readonly progress: number;
    /** Epoch ms. */
    readonly startTime: number;
    /** Number of handles that could not be updated. */
    readonly exceptionCount: number;
}

/** Updates the records of handles. */
export interface RecordUpdater {
    /** Number of objects per call. */
    readonly batch: number;
    /** Updates the records of objects; resolves to the number of failures. */
    update(ids: readonly string[], signal: AbortSignal): Promise<number>;
}

/** Dependencies of the update. */
export interface HandleUpdateParts {
    readonly jobs: JobRunner;
    readonly jobStore: JobStore;
    readonly settings: SettingStore;
    readonly objects: ObjectScan;
    /** Loads the current design and types. */
    readonly refresh: () => Promise<unknown>;
    readonly updater: RecordUpdater;
    readonly log: Log;
}

/** Progress as the job reports it, with the last id processed. */
type UpdateProgress = Omit<HandleUpdateStatus, 'inProgress'> & { readonly after: string; readonly isCounted: boolean };

const KIND = 'handles.update';
const KEY = 'all';
const NEVER: HandleUpdateStatus = { inProgress: false, total: 0, progress: 0, startTime: 0, exceptionCount: 0 };

/** Lease in ms: upper limit for resuming the job after a crash. */
const LEASE_MS = 10_000;

/** Interval between progress reports, in ms. */
const REPORT_MS = 250;

/** Pause in ms after an error: the first, doubled up to the maximum. An update may take days, in which many outages end attempts. */
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** Starts updates and reports their status. */
export class HandleUpdate {

    readonly kind: JobKind = {
        kind: KIND, run: (job) => this.#run(job), leaseMs: LEASE_MS, maxAttempts: Infinity,
        backOff: (attempts) => Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (attempts - 1))
    };
    readonly #parts: HandleUpdateParts;

    constructor(parts: HandleUpdateParts) {

        this.#parts = parts;
    }

    /** Starts an update; does nothing while one is running. */
    async start(): Promise<void> {

        const payload = { startTime: Date.now() };
        await this.#parts.jobs.enqueue({ kind: KIND, payload, dedup: { key: KEY, until: 'end' } });
    }

    /** Returns the record for clients (specification, "Handle update status"). */
    async status(): Promise<HandleUpdateStatus> {

        const job = await this.#parts.jobStore.current(KIND, KEY);
        if (job) {
            return statusOf(progressOf(job), true);
        }

        const last = await this.#parts.settings.get(KIND);
        return last === null ? NEVER : JSON.parse(last) as HandleUpdateStatus;
    }

    async #run(job: RunningJob): Promise<void> {

        const { settings, log } = this.#parts;
        let state = progressOf(job);
        if (!state.isCounted) {
            state = { ...state, total: await this.#count(job.signal), isCounted: true };
            await job.report(state);
        }

        state = await this.#updateAll(state, job);
        const status = statusOf(state, false);
        // Together with the progress, which throws if another node has taken over: this one may have been stopped for long.
        await job.report(state, settings.setSteps(KIND, JSON.stringify(status)));
        log.info({ event: 'handle.update-done', ...status }, 'handle records updated');
    }

    async #updateAll(from: UpdateProgress, job: RunningJob): Promise<UpdateProgress> {

        const { updater, refresh } = this.#parts;
        const { signal } = job;
        let state = from;
        let reportedAt = performance.now();
        for await (const ids of this.#ids(from.after, signal)) {
            for (let start = 0; start < ids.length; start += updater.batch) {
                signal.throwIfAborted();
                await refresh();
                const batch = ids.slice(start, start + updater.batch);
                state = advanced(state, batch, await updater.update(batch, signal));
                if (performance.now() - reportedAt >= REPORT_MS) {
                    await job.report(state);
                    reportedAt = performance.now();
                }

                // Yields to the event loop: with SQLite nothing above waits for I/O.
                await setImmediate();
            }
        }

        return { ...state, total: state.progress };     // objects may have been created or deleted meanwhile
    }

    async #count(signal: AbortSignal): Promise<number> {

        let total = 0;
        for await (const ids of this.#ids('', signal)) {
            total += ids.length;
        }

        return total;
    }

    /** Yields the ids of all objects except the design, in blocks. Lets the event loop run in between. */
    async *#ids(after: string, signal: AbortSignal): AsyncGenerator<string[]> {

        for (let ids = await this.#parts.objects.idsAfter(after); ids.length > 0; ids = await this.#parts.objects.idsAfter(ids.at(-1) ?? '')) {
            yield ids.filter((id) => id !== DESIGN_ID);
            await setImmediate();
            signal.throwIfAborted();
        }
    }
}

function advanced(state: UpdateProgress, batch: readonly string[], failed: number): UpdateProgress {

    const progress = state.progress + batch.length;
    return {
        ...state, progress,
        total: Math.max(state.total, progress),
        exceptionCount: state.exceptionCount + failed,
        after: batch.at(-1) ?? state.after
    };
}

function statusOf({ total, progress, startTime, exceptionCount }: UpdateProgress, inProgress: boolean): HandleUpdateStatus {

    return { inProgress, total, progress, startTime, exceptionCount };
}

/** Returns the last reported progress of a job, or the initial one. */
function progressOf({ payload, progress }: Pick<RunningJob, 'payload' | 'progress'>): UpdateProgress {

    const { startTime }: JsonObject = isJsonObject(payload) ? payload : {};
    const beginning = { total: 0, progress: 0, startTime: Number(startTime ?? 0), exceptionCount: 0, after: '', isCounted: false };
    return isJsonObject(progress) ? { ...beginning, ...progress } : beginning;
}

/** Number of objects in memory at a time. */
const BATCH = 16;

/** Returns an updater that computes records without registering them, to count and log failures. */
export function checkRecords({ records, objects, log }: { records: HandleRecords; objects: ObjectScan; log: Log }): RecordUpdater {

    const update = async (ids: readonly string[]): Promise<number> => {

        const errors: [handle: string, error: unknown][] = [];
        for (const object of await objects.byIds(ids)) {
            await records.ofPublic(object).catch((error: unknown) => errors.push([object.id, error]));
        }

        const [first] = errors;
        if (first) {
            log.warn({ event: 'handle.update-failed', handle: first[0], err: first[1], alike: errors.length }, 'failed to compute handle record');
        }

        return errors.length;
    };

    return { batch: BATCH, update };
}
