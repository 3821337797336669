/** Stored objects that an upload affects: those that it replaces, or all. */

import type { RunningJob } from '../../jobs/job-kind.js';
import type { ObjectRestorer } from './object-restorer.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { BulkItem } from '../batch/batch-item.js';
import type { BulkService } from '../batch/batch-service.js';
import { DESIGN_ID } from '../../doip/ids.js';
import type { Caller } from '../../model/caller.js';
import { phaseOf, type Phase } from './upload-progress.js';
import { OBJECTS_PER_BATCH, type ObjectScan } from '../../stores/objects/object-scan.js';

/** Rounds in a row in which no object could be deleted. */
const MAX_FAILURES = 10;

interface UploadScopeParts {
    readonly objects: ObjectScan;
    readonly restorer: ObjectRestorer;
    readonly bulk: Pick<BulkService, 'pace'>;
}

/** Objects from before the upload. */
export class UploadScope {

    readonly #parts: UploadScopeParts;
    readonly #items: () => AsyncIterable<BulkItem>;
    readonly #job: Pick<RunningJob, 'checkLease'>;
    readonly #writer: { readonly caller: Caller; readonly uploadEpoch: number };

    /**
     * @param items items of the upload
     * @param run.uploadEpoch epoch of types with which the run writes
     */
    constructor(
        parts: UploadScopeParts, items: () => AsyncIterable<BulkItem>,
        { job, ...writer }: { job: Pick<RunningJob, 'checkLease'>; caller: Caller; uploadEpoch: number }
    ) {

        this.#parts = parts;
        this.#items = items;
        this.#job = job;
        this.#writer = writer;
    }

    /** All objects, in pages. */
    async *all(): AsyncGenerator<readonly StoredObject[]> {

        const { objects } = this.#parts;
        for (let page = await objects.after(''); page.length > 0; page = await objects.after(page.at(-1)?.id ?? '')) {
            yield page;
        }
    }

    /** Existing objects with an id in the upload. */
    async *uploaded(): AsyncGenerator<readonly StoredObject[]> {

        const { objects } = this.#parts;
        let ids: string[] = [];
        for await (const { value } of this.#items()) {
            ids.push(value?.['id'] as string);
            if (ids.length === OBJECTS_PER_BATCH) {
                yield *objects.pages(ids);
                ids = [];
            }
        }

        yield *objects.pages(ids);
    }

    /**
     * Deletes all objects of some pages except the design; repeats while any changed concurrently. Types come last, as the objects of a type that is
     * gone are under the default rules.
     *
     * @throws Error when no object can be deleted any more: a run that begins anew may succeed
     */
    async remove(pages: () => AsyncIterable<readonly StoredObject[]>): Promise<void> {

        for (const phase of ['others', 'types'] as const) {
            await this.#removeOf(phase, pages);
        }
    }

    async #removeOf(phase: Phase, pages: () => AsyncIterable<readonly StoredObject[]>): Promise<void> {

        let isLeft: boolean;
        let failures = 0;
        do {
            isLeft = false;
            failures += 1;
            for await (const page of pages()) {
                const removed = page.filter((object) => object.id !== DESIGN_ID && phaseOf(object) === phase);
                await this.#parts.bulk.pace(removed.length);
                this.#job.checkLease();
                const removals = await Promise.all(removed.map((object) => this.#parts.restorer.remove(object, this.#writer)));
                isLeft ||= removals.includes(false);
                failures = removals.includes(true) ? 0 : failures;
            }

            if (isLeft && failures >= MAX_FAILURES) {
                throw new Error(`objects could not be deleted in ${MAX_FAILURES} rounds`);
            }
        }
        while (isLeft);
    }
}
