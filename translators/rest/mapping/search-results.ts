/** Search records in the words of REST (interface specification, "Search response"). Pure functions. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { RecordShape } from './record-writer.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { pruner } from '../../../lib/json/filter.js';
import { unmarked, writeJson } from '../../../lib/json/serializer.js';
import { SerializedObject } from '../../../lib/doip/serialized-object.js';
import { asDigitalObject, asJson, restObjectText, toRestObject } from './rest-object.js';

/** What a client wants to see of a search. */
export interface ResultView {
    /** False for the bare contents. */
    readonly full: boolean;
    /** Pointers into the form that is shown. */
    readonly filter?: readonly string[] | undefined;
    /** The page that was asked for; told to the client where the operation does not say what page it answers with. */
    readonly pageNum: number;
    readonly pageSize: number;
}

/** What is left of a result. */
type Narrow = (result: JsonValue) => JsonValue;

/** How a search record is written. Facets are there when they were asked for. 400 when the filter is no list of pointers. */
export function searchRecord(view: ResultView): RecordShape {

    const narrow = narrowing(view);
    return {
        frame: ({ pageNum, pageSize, size, facets }) => ({
            // Clients that read the answer as a stream see facets only before the results
            before: {
                pageNum: pageNum ?? view.pageNum, pageSize: pageSize ?? view.pageSize, size: size ?? 0,
                ...(facets === undefined ? {} : { facets })
            },
            after: {}
        }),
        text: (result) => resultText(result, view, narrow)
    };
}

/** The JSON text of {@link projectResult}. Objects that nobody has looked into go out as the texts that they are made of. */
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
 * One result as the client wants it: an id stays as it is, an object becomes its full form or its content. A score that
 * was asked for stands in `responseContext` in either form, beside the members of a bare content.
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
