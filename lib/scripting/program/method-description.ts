/** What type code says about a method, for clients: untrusted, and limited in size. */

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

/** Maximum length of a summary in UTF-16 code units, and maximum depth of a schema. */
const MAX_SUMMARY = 500;
const MAX_DEPTH = 64;

/** Reads the JSON text of a description; null if it is none. */
export function readMethodDescription(text: JsonValue | undefined): MethodDescription | null {

    const value = typeof text === 'string' ? parsed(text) : null;
    if (!isJsonObject(value)) {
        return null;
    }

    const { summary, params, result } = value;
    if (!isSummary(summary) || !isSchema(params) || !isSchema(result)) {
        return null;
    }

    return {
        ...summary === undefined ? {} : { summary },
        ...params === undefined ? {} : { params },
        ...result === undefined ? {} : { result }
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

    return value === undefined || typeof value === 'boolean' || isJsonObject(value) && !isDeeper(value, MAX_DEPTH);
}

function isDeeper(value: JsonValue, depth: number): boolean {

    return typeof value === 'object' && value !== null && (depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1)));
}
