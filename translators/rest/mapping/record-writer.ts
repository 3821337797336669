/**
 * Writes records with a long list of results as JSON text, in chunks. The output of an operation holds such a record whole, or its head in
 * one segment followed by batches of results, so that memory stays bounded.
 */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { internal } from '../../../lib/errors/errors.js';
import { isJsonObject } from '../../../lib/util/json-types.js';

/** Format of a record. */
export interface RecordShape {
    /** Members before and after the results. */
    frame(record: JsonObject): { readonly before: JsonObject; readonly after: JsonObject };
    /** JSON text of one result in REST form. */
    text(result: JsonValue): string;
}

/** Size of a chunk in characters. */
const CHUNK_LENGTH = 16_384;

/** Yields the text of the record in `output`. Returning early closes the output. */
export async function *recordText(output: AsyncIterable<Segment>, shape: RecordShape): AsyncGenerator<string> {

    let text = '';
    let end: string | undefined;
    let separator = '';
    for await (const segment of output) {
        if (segment.kind === 'bytes') {
            throw internal(new Error('a record must be made of JSON segments'));
        }

        let results = segment.value;
        if (end === undefined) {
            const record = isJsonObject(results) ? results : {};
            const { before, after } = shape.frame(record);
            text = opening(before);
            end = closing(after);
            results = record['results'] ?? [];
        }

        for (const result of Array.isArray(results) ? results : []) {
            text += separator + shape.text(result);
            separator = ',';
            if (text.length >= CHUNK_LENGTH) {
                yield text;
                text = '';
            }
        }
    }

    yield text + (end ?? '');
}

function opening(before: JsonObject): string {

    const members = JSON.stringify(before).slice(1, -1);
    return `{${members}${members === '' ? '' : ','}"results":[`;
}

function closing(after: JsonObject): string {

    const members = JSON.stringify(after).slice(1, -1);
    return `]${members === '' ? '' : ','}${members}}`;
}
