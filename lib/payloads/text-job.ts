/**
 * Job that extracts the texts of an object's payloads and has the object reindexed.
 */

import type { Log } from '../../db/log.js';
import type { JsonValue } from '../util/json-types.js';
import { isUnavailable } from '../errors/errors.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import type { ElementService } from '../objects/elements/element-service.js';
import type { StoredObject } from '../model/stored-object.js';
import type { NewJob } from '../stores/jobs/job-store.js';
import type { PayloadTextStore } from '../stores/blobs/payload-text-store.js';
import type { PayloadTexts, TextElement } from './payload-texts.js';
import { TEXT_RULES } from './payload-texts.js';
import type { TextExtractor } from './text-extractor.js';
import type { TextResult } from './text-messages.js';

/** Kind of the jobs. */
export const TEXT_JOB = 'payloads.text';

/** Number of attempts after which an element is skipped, because it may have crashed the service. */
const MAX_ATTEMPTS = 3;

/** Maximum number of attempts of a job, of which all but the last few may be during an outage of the store: some days. */
const MAX_OUTAGE_ATTEMPTS = 100;

/** Milliseconds after which the jobs of a process that died are taken over. */
const LEASE_MS = 10_000;

/** Returns the job for one object; at most one is waiting. */
export function textJob(objectId: string): NewJob {

    return { kind: TEXT_JOB, payload: objectId, dedup: { key: objectId, until: 'start' } };
}

/** Dependencies of the jobs. */
export interface TextJobParts {
    readonly objects: { byIds(ids: readonly string[]): Promise<StoredObject[]> };
    readonly elements: Pick<ElementService, 'open'>;
    readonly texts: PayloadTexts;
    readonly store: PayloadTextStore;
    readonly extractor: Pick<TextExtractor, 'read'>;
    readonly index: { reindex(ids: readonly string[]): Promise<unknown> };
    readonly log: Log;
}

/** Returns the kind of these jobs. */
export function readTexts(parts: TextJobParts): JobKind {

    return {
        kind: TEXT_JOB,
        isForgotten: true,
        leaseMs: LEASE_MS,
        maxAttempts: MAX_OUTAGE_ATTEMPTS,
        run: async (job) => {

            const id = typeof job.payload === 'string' ? job.payload : '';
            const [object] = await parts.objects.byIds([id]);
            if (!object) {
                return;
            }

            for (const element of await parts.texts.unread(object)) {
                await readOne(parts, job, { id, element });
            }

            await parts.index.reindex([id]);
        }
    };
}

async function readOne(parts: TextJobParts, job: RunningJob, { id, element: { element, format, key } }: { id: string; element: TextElement }): Promise<void> {

    const progress: JsonValue = { blobId: key.blobId };
    if (job.attempts > 1 && !isSame(job.progress, progress)) {
        // Reported so that the next attempt can identify the element after another crash.
        await job.report(progress);
    }

    const hasFailed = job.attempts > MAX_ATTEMPTS && isSame(job.progress, progress);
    const result: TextResult = hasFailed ? { text: null, reason: 'could not be read again and again' } :
        await parts.extractor.read(format, () => parts.elements.open(element, null), job.signal).catch(async (error: unknown) => {

            // An outage of the store is no fault of the element, however long it lasts.
            if (isUnavailable(error) && job.attempts > 1) {
                await job.report(null);
            }

            throw error;
        });
    if (result.reason !== null) {
        parts.log.info({ event: 'payload.no-text', object: id, payload: element.name, reason: result.reason }, 'no text extracted from payload');
    }

    await parts.store.save({ key, rules: TEXT_RULES, ...result }, Date.now());
}

function isSame(a: JsonValue, b: JsonValue): boolean {

    return JSON.stringify(a) === JSON.stringify(b);
}
