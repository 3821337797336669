/** Runs the writes of an upload concurrently. Distinguishes storage failures, which end the run, from rejected writes. */

import type { RunningJob } from '../../jobs/job-kind.js';
import type { Log } from '../../../db/log.js';
import type { BatchTask } from '../batch/batch-runner.js';
import type { BulkService } from '../batch/batch-service.js';
import { isUnavailable } from '../../errors/errors.js';
import { messageOf, type UploadProgress } from './upload-progress.js';

/** HTTP code of errors that a repetition meets again. */
const TOO_LARGE = 413;

/** Number of rejected objects whose ids are kept. */
const NAMED = 20;

/** Rejected writes of a run. */
export interface Rejections {
    readonly count: number;
    /** Ids of the first ones, as far as they were given. */
    readonly ids: readonly string[];
}

/** Accepts tasks and waits for those in progress. */
export interface Tasks {
    readonly add: (task: BatchTask) => Promise<void>;
    readonly drained: () => Promise<void>;
}

/** Runs writes. */
export class UploadBatch {

    readonly #bulk: BulkService;
    readonly #log: Log;
    readonly #job: Pick<RunningJob, 'signal' | 'checkLease'>;
    /** The storage failure that ended the run. */
    #error: Error | null = null;
    #failure: UploadProgress['failure'] | null = null;
    #rejections: Rejections = { count: 0, ids: [] };

    constructor({ bulk, log }: { bulk: BulkService; log: Log }, job: Pick<RunningJob, 'signal' | 'checkLease'>) {

        this.#bulk = bulk;
        this.#log = log;
        this.#job = job;
    }

    /** The first rejected write of this run, or null. */
    get failure(): UploadProgress['failure'] | null {

        return this.#failure;
    }

    /** All rejected writes of this run. */
    get rejections(): Rejections {

        return this.#rejections;
    }

    /** Runs work that adds tasks. Throws on a storage failure; the job then retries the run. */
    async run(isParallel: boolean, work: (tasks: Tasks) => Promise<void>): Promise<void> {

        this.#failure = null;
        this.#rejections = { count: 0, ids: [] };
        const { results } = await this.#bulk.run({ parallel: isParallel, failFast: false, log: this.#log }, async (batch) => {

            const drained = async (): Promise<void> => {

                await batch.drain();
                this.#checkStorage();
            };

            const add = async ({ work: store, ...task }: BatchTask): Promise<void> => {

                this.#job.checkLease();
                this.#checkStorage();
                await batch.add({ ...task, work: (beforeWrite) => this.#recordFailure(task, () => store(beforeWrite)) });
            };

            await work({ add, drained });
            await drained();
            return null;
        });
        await results.dispose();
    }

    async #recordFailure<T>({ position, id }: Pick<BatchTask, 'position' | 'id'>, store: () => Promise<T>): Promise<T> {

        try {
            return await store();
        }
        catch (error) {
            if (isStorageFailure(error, this.#bulk) || this.#job.signal.aborted) {
                this.#error ??= error as Error;
            }
            else {
                const { count, ids } = this.#rejections;
                this.#failure ??= { position, message: messageOf(error) };
                this.#rejections = { count: count + 1, ids: id === undefined || ids.length === NAMED ? ids : [...ids, id] };
            }

            throw error;
        }
    }

    #checkStorage(): void {

        if (this.#error) {
            throw this.#error;
        }
    }
}

/** True for an error of the database or of an element store that a repetition may not meet. */
export function isStorageFailure(error: unknown, { explain }: Pick<BulkService, 'explain'>): boolean {

    const known = explain(error);
    return known ? known.http !== TOO_LARGE : isUnavailable(error);
}
