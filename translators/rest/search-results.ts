/**
 * Search records in the words of REST. A record comes whole, or as its head followed by blocks of results, which are
 * projected and written block by block so that an unlimited search never gathers in memory. Pure functions.
 */

import type { Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/doip/json.js';
import { internal } from '../../lib/doip/error.js';
import { isJsonObject } from '../../lib/doip/json.js';
import { prune } from '../../lib/doip/json-prune.js';
import { asDigitalObject, asJson, toRestObject } from './project.js';

/** Characters that are gathered before they are handed on. */
const PIECE = 16_384;

/** What a client wants to see of each result. */
export interface ResultView {
    /** False for the bare content. */
    readonly full: boolean;
    /** Pointers into the form that is shown. */
    readonly filter?: readonly string[] | undefined;
    /** What the record says of the page; a record that says nothing of it gets these. */
    readonly pageNum: number;
    readonly pageSize: number;
}

/**
 * One result as the client wants it: an id stays as it is, an object becomes its full form or its content. A score that
 * was asked for stands in `responseContext` in either form, beside the members of a bare content.
 */
export function projectResult(result: JsonValue, { full, filter }: ResultView): JsonValue {

    if (!isJsonObject(result)) {
        return result;
    }

    const object = asDigitalObject(result);
    const { content, responseContext } = object.attributes;
    const form = full ? asJson(toRestObject(object)) : withContext(content, responseContext);
    return filter ? prune(form, filter) : form;
}

/** The members of a record before and after its results, in the order of the interface. */
export function recordFrame(record: JsonObject, { pageNum, pageSize }: ResultView): { before: JsonObject; after: JsonObject } {

    return {
        before: {
            pageNum: record['pageNum'] ?? pageNum,
            pageSize: record['pageSize'] ?? pageSize,
            size: record['size'] ?? 0
        },
        after: record['facets'] === undefined ? {} : { facets: record['facets'] }
    };
}

/**
 * The text of the REST record for the output of a search, in pieces: one segment with everything, or one with all but the
 * results and then arrays of results.
 */
export async function *recordText(output: AsyncIterable<Segment>, view: ResultView): AsyncGenerator<string> {

    let end: string | undefined;
    let text = '';
    let separator = '';
    for await (const segment of output) {
        if (segment.kind === 'bytes') {
            throw internal(new Error('a search answered with bytes'));
        }

        const { value } = segment;
        let results = value;
        if (end === undefined) {
            const record = isJsonObject(value) ? value : {};
            const { before, after } = recordFrame(record, view);
            text = `${JSON.stringify(before).slice(0, -1)},"results":[`;
            end = Object.keys(after).length > 0 ? `],${JSON.stringify(after).slice(1)}` : ']}';
            results = record['results'] ?? [];
        }

        for (const result of Array.isArray(results) ? results : []) {
            text += separator + JSON.stringify(projectResult(result, view));
            separator = ',';
            if (text.length >= PIECE) {
                yield text;
                text = '';
            }
        }
    }

    yield text + (end ?? '');
}

function withContext(content: JsonObject, responseContext: JsonObject | undefined): JsonObject {

    return responseContext === undefined ? content : { ...content, responseContext };
}
