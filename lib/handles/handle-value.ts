/**
 * Values of handle records, in the JSON form of the HTTP API of handle servers and of the public handle proxy.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';

/** One value of a handle record. */
export interface HandleValue {
    /** 1 to 2^31 - 1, unique in its record. */
    readonly index: number;
    readonly type: string;
    /** `format` is `string`, `admin` or another format of the Handle System; it determines the form of `value`. */
    readonly data: { readonly format: string; readonly value: JsonValue };
    /** Time to live in resolver caches, in seconds. */
    readonly ttl: number;
    /** UTC without fractions of a second: `2024-05-01T10:20:30Z`. */
    readonly timestamp: string;
}

/** Administrator of handles: a value of a handle that holds a key or a list of administrators. */
export interface HandleIdentity {
    readonly index: number;
    readonly handle: string;
}

const DEFAULT_TTL = 86_400;
const MAX_INDEX = 2 ** 31 - 1;

/** Conventional index of the value that names the administrator. */
const ADMIN_INDEX = 100;

/** All twelve permissions of a handle administrator. */
const ALL_PERMISSIONS = '111111111111';

/** Returns a value with a text. */
export function textValue(index: number, type: string, text: string, timestamp: string): HandleValue {

    return { index, type, data: { format: 'string', value: text }, ttl: DEFAULT_TTL, timestamp };
}

/** Returns the value that gives an identity all permissions for the handle. */
export function adminValue({ index, handle }: HandleIdentity, timestamp: string): HandleValue {

    const value = { handle, index, permissions: ALL_PERMISSIONS };
    return { index: ADMIN_INDEX, type: 'HS_ADMIN', data: { format: 'admin', value }, ttl: DEFAULT_TTL, timestamp };
}

/** Returns a time (epoch ms) in the format of handle values. */
export function timestampOf(time: number): string {

    return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Parses an identity such as `300:20.500.123/admin`; null if it is malformed. */
export function parseIdentity(text: string): HandleIdentity | null {

    const [, digits = '', handle = ''] = /^(\d{1,10}):([^/]+\/.+)$/s.exec(text) ?? [];
    const index = Number(digits);
    return handle !== '' && index <= MAX_INDEX ? { index, handle } : null;
}

/** Returns the text of a value; empty if its data is not text. */
export function textOf({ data }: HandleValue): string {

    return typeof data.value === 'string' ? data.value : '';
}

/** Returns the smallest index from 1 that is not in use. */
export function freeIndex(values: readonly HandleValue[]): number {

    const used = new Set(values.map(({ index }) => index));
    let index = 1;
    while (used.has(index)) {
        ++index;
    }

    return index;
}

/**
 * Reads handle values from a script or from the design. Plain text as data means the format `string`; `timestamp` is the
 * default time of values.
 *
 * @throws Error that names the invalid value
 */
export function readValues(list: JsonValue | undefined, timestamp: string): HandleValue[] {

    if (!Array.isArray(list)) {
        throw new Error('handle values must be an array');
    }

    const values = list.map((value, n) => readValue(value, n, timestamp));
    if (new Set(values.map(({ index }) => index)).size < values.length) {
        throw new Error('two handle values have the same index');
    }

    return values;
}

function readValue(value: JsonValue, n: number, fallback: string): HandleValue {

    const { index, type, data, ttl, timestamp }: JsonObject = isJsonObject(value) ? value : {};
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 1 || index > MAX_INDEX) {
        throw new Error(`handle value ${n} must have an index from 1 to ${MAX_INDEX}`);
    }

    if (typeof type !== 'string' || type === '') {
        throw new Error(`handle value ${n} must have a type`);
    }

    return {
        index, type,
        data: readData(data, n),
        ttl: typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0 ? ttl : DEFAULT_TTL,
        timestamp: typeof timestamp === 'string' ? timestamp : fallback
    };
}

function readData(data: JsonValue | undefined, n: number): HandleValue['data'] {

    if (typeof data === 'string') {
        return { format: 'string', value: data };
    }

    if (!isJsonObject(data) || typeof data.format !== 'string' || data.value === undefined) {
        throw new Error(`the data of handle value ${n} must be text, or an object with format and value`);
    }

    return { format: data.format, value: data.value };
}
