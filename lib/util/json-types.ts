/** JSON types. All values at the boundaries of the service (requests, stores, sandbox) are JSON values. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object; its own enumerable properties in insertion order. */
export interface JsonObject {
    [key: string]: JsonValue;
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {

    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
