/** Search records in REST form (interface specification, "Search response"). Pure functions. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { RecordShape } from './record-writer.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { pruner } from '../../../lib/json/filter.js';
import { unmarked, writeJson } from '../../../lib/json/serializer.js';
import { SerializedObject } from '../../../lib/doip/serialized-object.js';
import { asDigitalObject, asJson, restObjectText, toRestObject } from './rest-object.js';

/** Display options of a search. */
export interface ResultView {
    /** False for content only. */
    readonly full: boolean;
    /** JSON pointers into the displayed form. */
    readonly filter?: readonly string[] | undefined;
    /** The requested page; returned to the client where the operation does not say which page it answers with. */
    readonly pageNum: number;
    readonly pageSize: number;
}

/** Narrows a result to the requested parts. */
type Narrow = (result: JsonValue) => JsonValue;

/** Format of a search record; with facets when the operation returned some. Throws 400 for malformed pointers in the filter. */
export function searchRecord(view: ResultView): RecordShape {

    const narrow = narrowing(view);
    return {
        surround: ({ pageNum, pageSize, size, facets }) => ({
            // Clients that parse the response as a stream see facets only before the results.
            before: {
                pageNum: pageNum ?? view.pageNum, pageSize: pageSize ?? view.pageSize, size: size ?? 0,
                ...(facets === undefined ? {} : { facets })
            },
            after: {}
        }),
        text: (result) => resultText(result as JsonValue, view, narrow)
    };
}

/** JSON text of {@link projectResult}. Objects that were not parsed are written from their stored texts. */
export function resultText(result: JsonValue, view: Pick<ResultView, 'full' | 'filter'>, narrow = narrowing(view)): string {

    if (!(result instanceof SerializedObject) || narrow) {
        return writeJson(projectResult(result, view, narrow));
    }

    if (view.full) {
        return restObjectText(result);
    }

    const { content, responseContext } = result.parts;
    return responseContext === null ? unmarked(content) : writeJson(projectResult(result.toJSON() as unknown as JsonValue, view));
}

/**
 * One result as requested: an id unchanged, an object as its full form or its content. A requested score is in `responseContext` in either
 * form; with content only, that member is added to the content.
 */
export function projectResult(result: JsonValue, view: Pick<ResultView, 'full' | 'filter'>, narrow = narrowing(view)): JsonValue {

    if (!isJsonObject(result)) {
        return result;
    }

    const object = asDigitalObject(result);
    const { content, responseContext } = object.attributes;
    const form = view.full ? asJson(toRestObject(object)) : withContext(content, responseContext);
    return narrow ? narrow(form) : form;
}

function narrowing({ filter }: Pick<ResultView, 'filter'>): Narrow | undefined {

    return filter && pruner(filter);
}

function withContext(content: JsonObject, responseContext: JsonObject | undefined): JsonObject {

    return responseContext === undefined ? content : { ...content, responseContext };
}
