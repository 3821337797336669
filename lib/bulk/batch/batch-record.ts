/** The record that a batch returns: `{results, success}`, and `message` for invalid input. */

import type { JsonObject } from '../../util/json-types.js';
import type { BulkOutcome } from './batch-service.js';
import type { SpillableList } from './spill-list.js';
import { RecordOutput } from '../../doip/record-output.js';
import { SerializedJson } from '../../doip/serialized-object.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { onClose } from '../../util/streams/on-close.js';
import { summaryOf } from './batch-service.js';

/**
 * The record, with additional members. Its results stay on disk until the consumer has read the output to the end or has closed it,
 * because the client disconnected.
 */
export function bulkRecord(outcome: BulkOutcome, more: JsonObject = {}): Promise<RecordOutput> {

    const { results } = outcome;
    return RecordOutput.open({ after: { ...more, ...summaryOf(outcome) }, blocks: onClose(inBlocks(results), () => void results.dispose()) });
}

async function *inBlocks(results: SpillableList): AsyncGenerator<readonly SerializedJson[], void, undefined> {

    for await (const texts of results.blocks()) {
        const length = texts.reduce((sum, text) => sum + text.length, 0);
        await turnFor(length);
        yield texts.map((text) => new SerializedJson(text));
        await turnFor(length);
    }
}
