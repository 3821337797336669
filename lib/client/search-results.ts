/** Searches: their requests, and results that are yielded as they arrive. */

import { Op } from '../doip/operation-ids.js';
import { jsonItems } from '../json/stream/item-splitter.js';
import { parseJson } from '../json/strict-parser.js';
import type { JsonObject } from '../util/json-types.js';
import type { SearchOptions } from './objects.js';
import type { OutgoingRequest, Requester } from './requester.js';

/** Maximum size of one result of a search, in bytes. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/** Returns the request for a search. */
export function searchRequest(query: string, { signal, ...options }: SearchOptions, more: JsonObject = {}): OutgoingRequest {

    return { targetId: 'service', operationId: Op.search, attributes: { query, ...options as JsonObject, ...more }, ...signal ? { signal } : {} };
}

/** Yields the results of a search. */
export async function *resultsOf<T>(requests: Requester, request: OutgoingRequest): AsyncGenerator<T, void, undefined> {

    const body = await requests.bytes(request);
    for await (const { bytes, length } of jsonItems(body, { format: 'json', maxItemBytes: MAX_RESULT_BYTES })) {
        if (!bytes) {
            throw new Error(`a result is longer than ${MAX_RESULT_BYTES} bytes: ${length}`);
        }

        yield parseJson(bytes) as T;
    }
}
