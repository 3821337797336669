/**
 * The request context, which every request may carry for hooks, methods and the storage chooser (interface specification,
 * "What the service does").
 */

import type { JsonObject } from '../doip/json.js';
import { badRequest } from '../doip/error.js';
import { isJsonObject } from '../doip/json.js';

/** The request context among attributes; empty without one, and for empty text. 400 when it is anything but a JSON object. */
export function readRequestContext(attributes: JsonObject): JsonObject {

    const value = attributes.requestContext;
    if (value === undefined || value === null || value === '') {
        return {};
    }

    if (!isJsonObject(value)) {
        throw badRequest('Unable to parse requestContext: it must be a JSON object');
    }

    return value;
}
