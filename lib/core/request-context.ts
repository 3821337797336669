/**
 * The request context, which every request may carry for hooks, methods and the storage chooser (interface specification,
 * "What the service does").
 */

import type { JsonObject } from '../util/json-types.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';

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
