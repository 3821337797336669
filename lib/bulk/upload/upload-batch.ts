/** Runs the writes of an upload concurrently. Distinguishes storage failures, which end the run, from rejected writes. */

import type { RunningJob } from '../../jobs/job-kind.js';
import type { Log } from '../../../db/log.js';
import type { BatchTask } from '../batch/batch-runner.js';
import type { BulkService } from '../batch/batch-service.js';
import { messageOf, type UploadProgress } from './upload-progress.js';

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

    constructor({ bulk, log }: { bulk: BulkService; log: Log }, job: Pick<RunningJob, 'signal' | 'checkLease'>) {

        this.#bulk = bulk;
        this.#log = log;
        this.#job = job;
    }

    /** The first rejected write of this run, or null. */
    get failure(): UploadProgress['failure'] | null {

        return this.#failure;
    }

    /** Runs work that adds tasks. Throws on a storage failure; the job then retries the run. */
    async run(isParallel: boolean, work: (tasks: Tasks) => Promise<void>): Promise<void> {

        this.#failure = null;
        const { results } = await this.#bulk.run({ parallel: isParallel, failFast: false, log: this.#log }, async (batch) => {

            const drained = async (): Promise<void> => {

                await batch.drain();
                this.#checkStorage();
            };

            const add = async ({ work: store, ...task }: BatchTask): Promise<void> => {

                this.#job.checkLease();
                this.#checkStorage();
                await batch.add({ ...task, work: (beforeWrite) => this.#recordFailure(task.position, () => store(beforeWrite)) });
            };

            await work({ add, drained });
            await drained();
            return null;
        });
        await results.dispose();
    }

    async #recordFailure<T>(position: number, store: () => Promise<T>): Promise<T> {

        try {
            return await store();
        }
        catch (error) {
            if (this.#bulk.explain(error) || this.#job.signal.aborted) {
                this.#error ??= error as Error;
            }
            else {
                this.#failure ??= { position, message: messageOf(error) };
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
