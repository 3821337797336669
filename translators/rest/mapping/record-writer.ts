/**
 * Records with a long list of results, written as JSON text piece by piece. The output of an operation holds such a record
 * whole, or its head in one segment and then blocks of results, so that no list ever has to gather in memory.
 */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { internal } from '../../../lib/errors/errors.js';
import { isJsonObject } from '../../../lib/util/json-types.js';

/** How a record is written. */
export interface RecordShape {
    /** The members that stand before and after the results. */
    frame(record: JsonObject): { readonly before: JsonObject; readonly after: JsonObject };
    /** The JSON text of one result in the words of REST. */
    text(result: JsonValue): string;
}

/** Characters that are gathered before they are handed on. */
const CHUNK_LENGTH = 16_384;

/** The text of the record that an operation put out. Leaving early lets go of the output. */
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
