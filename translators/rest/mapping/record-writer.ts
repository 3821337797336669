/** Records with a long list of results in REST form, as JSON text in chunks, so that memory stays bounded. */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { RecordItem } from '../../../lib/doip/record-output.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { internal } from '../../../lib/errors/errors.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { RecordOutput, recordText } from '../../../lib/doip/record-output.js';

/** Format of a record. */
export interface RecordShape {
    /** Members before and after the results. */
    surround(record: JsonObject): { readonly before: JsonObject; readonly after: JsonObject };
    /** JSON text of one result in REST form. */
    text(result: RecordItem): string;
}

/** The text of the record in `output`. Returning early closes the output. */
export function restRecordText(output: AsyncIterable<Segment>, shape: RecordShape): AsyncIterable<string> {

    return output instanceof RecordOutput ?
        recordText(output, { ...shape.surround(output.head), text: (item) => shape.text(item) }) : fromSegment(output, shape);
}

/** The same for a record that is a single JSON value, as operations of others return it. */
async function *fromSegment(output: AsyncIterable<Segment>, shape: RecordShape): AsyncGenerator<string> {

    let record: JsonObject = {};
    for await (const segment of output) {
        if (segment.kind === 'bytes') {
            throw internal(new Error('a record must be a JSON segment'));
        }

        record = isJsonObject(segment.value) ? segment.value : {};
    }

    const { results, ...after } = record;
    yield *restRecordText(await RecordOutput.open({ after, blocks: one(Array.isArray(results) ? results : []) }), shape);
}

async function *one(block: readonly JsonValue[]): AsyncGenerator<readonly JsonValue[], void, undefined> {

    yield block;
}
