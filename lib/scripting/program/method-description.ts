/** What type code says about a method, for clients: untrusted, and limited in size. */

import { LRUCache } from 'lru-cache';
import { describedSchemaError } from '../../types/described-schema.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** A description of a method. */
export interface MethodDescription {
    readonly summary?: string;
    /** JSON schema of the input. */
    readonly params?: JsonObject | boolean;
    /** JSON schema of what it returns. */
    readonly result?: JsonObject | boolean;
}

/** A description, or the error in it, as the end of a sentence that begins with the place of the description. */
export type ReadDescription = { readonly description: MethodDescription } | { readonly error: string };

/** Maximum length of a summary in UTF-16 code units, maximum depth of a schema, and maximum number of values in it: it is checked in one step. */
const MAX_SUMMARY = 500;
const MAX_DEPTH = 64;
const MAX_VALUES = 1000;

const NO_DESCRIPTION = { error: ' must be an object with summary, params and result, as JSON of limited size' };

/** By text: the exports of all types are read anew after each change of a type, and checking schemas takes time. */
const descriptionCache = new LRUCache<string, ReadDescription>({ maxSize: 4 * 1024 * 1024, sizeCalculation: (_, text) => 200 + text.length });

/** Reads the JSON text of a description. */
export function readMethodDescription(text: JsonValue | undefined): ReadDescription {

    if (typeof text !== 'string') {
        return NO_DESCRIPTION;
    }

    const found = descriptionCache.get(text) ?? read(parsed(text));
    descriptionCache.set(text, found);
    return found;
}

function read(value: JsonValue): ReadDescription {

    if (!isJsonObject(value)) {
        return NO_DESCRIPTION;
    }

    const { summary, params, result } = value;
    if (!isSummary(summary) || !isSchema(params) || !isSchema(result)) {
        return NO_DESCRIPTION;
    }

    for (const [name, schema] of Object.entries({ params, result })) {
        const error = schema === undefined ? null : describedSchemaError(schema);
        if (error) {
            return { error: `.${name}${error.pointer === '' ? '' : ` at ${error.pointer}`} is no usable JSON schema: ${error.message}` };
        }
    }

    return {
        description: {
            ...summary === undefined ? {} : { summary },
            ...params === undefined ? {} : { params },
            ...result === undefined ? {} : { result }
        }
    };
}

/** Code may replace what writes the text. */
function parsed(text: string): JsonValue {

    try {
        return JSON.parse(text) as JsonValue;
    }
    catch {
        return null;
    }
}

function isSummary(value: JsonValue | undefined): value is string | undefined {

    return value === undefined || typeof value === 'string' && value.length <= MAX_SUMMARY;
}

function isSchema(value: JsonValue | undefined): value is JsonObject | boolean | undefined {

    return value === undefined || typeof value === 'boolean' || isJsonObject(value) && countValues(value, MAX_DEPTH) <= MAX_VALUES;
}

/** Returns the number of values, including those in it; Infinity if it is nested more deeply. */
function countValues(value: JsonValue, depth: number): number {

    if (typeof value !== 'object' || value === null) {
        return 1;
    }

    return depth === 0 ? Infinity : Object.values(value).reduce((sum: number, each) => sum + countValues(each, depth - 1), 1);
}
