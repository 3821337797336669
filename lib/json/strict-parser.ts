/**
 * Strict reading of JSON text. What JavaScript would read but change or lose (repeated property names, lone surrogates,
 * `__proto__`) is refused, and numbers keep their text (`exact-numbers.ts`), so that content comes back as it went in.
 *
 * One fast pass finds what JSON.parse does not tell; JSON.parse builds the value; a count of the properties finds repeated
 * names. Only when something is wrong a second, slower pass (`parse-error.ts`) finds out where.
 */

import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { badRequest, DoipError, tooLarge } from '../errors/errors.js';
import { checkValueCount } from './value-counter.js';
import { explainError } from './parse-error.js';
import { addNumberTexts } from './number-positions.js';
import { SentNumber } from './exact-numbers.js';
import { FAULTY, inspect, MAX_WRITTEN_LENGTH } from './scanner.js';
import { jsonFromPython } from '../util/text/python-format.js';

/** How strictly to read, and what to call the text in messages. */
export interface JsonTextOptions {
    /** Levels of arrays and objects allowed; default {@link DEFAULT_MAX_DEPTH}. */
    readonly maxDepth?: number;
    /** Values allowed, those inside of others included; default any number. */
    readonly maxValues?: number;
    /** Names the text in messages, such as `parameter attributes`; default `JSON`. */
    readonly name?: string;
    /** True: a number on its own that JavaScript would write otherwise comes as a {@link SentNumber}. */
    readonly sentNumber?: boolean;
}

/** Values of a parameter. Nobody writes as many by hand, and parameters come from anybody. */
const PARAMETER_VALUES = 20_000;

/** Levels of nesting allowed where nobody says otherwise. */
export const DEFAULT_MAX_DEPTH = 128;

/**
 * Reads JSON text. Bytes must be UTF-8; a byte order mark is skipped.
 *
 * Refused with 413: more values than allowed, and numbers that are many and long. Refused with 400: invalid UTF-8, syntax errors
 * (with line and column), and with the JSON pointer of the culprit: nesting beyond the limit, repeated property names,
 * properties that reach for prototypes, lone surrogates, numbers beyond any double or of more than 1,000 characters.
 */
export function parseJson(input: string | Uint8Array, options: JsonTextOptions = {}): JsonValue {

    const { maxDepth = DEFAULT_MAX_DEPTH, maxValues = Infinity, name = 'JSON', sentNumber = false } = options;
    const text = typeof input === 'string' ? withoutMark(input) : decodeUtf8(input, name);
    checkValueCount(text, maxValues, name);
    const numbers: number[] = [];
    const colons = inspect(text, maxDepth, numbers);
    checkNumberLengths(numbers, maxValues, name);
    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    }
    catch {
        throw explainError(text, maxDepth, name);           // Says more than JSON.parse
    }

    if (colons === FAULTY || countProperties(value) !== colons) {
        throw explainError(text, maxDepth, name);
    }

    if (sentNumber && typeof value === 'number' && numbers.length > 0) {
        return new SentNumber(text.trim()) as unknown as JsonValue;
    }

    addNumberTexts(value, text, numbers);
    return value;
}

/** Numbers of more characters than JavaScript ever writes cost time by their length, so it counts as well. */
function checkNumberLengths(numbers: readonly number[], maxValues: number, name: string): void {

    const most = maxValues * MAX_WRITTEN_LENGTH;
    let length = 0;
    for (let i = 0; i < numbers.length; i += 2) {
        length += (numbers[i + 1] ?? 0) - (numbers[i] ?? 0);
        if (length > most) {
            throw tooLarge(`${name} holds numbers of more than the allowed ${most} characters together`);
        }
    }
}

/** Reads JSON text that this service wrote, with the texts of its numbers and without any check. */
export function parseOwnJson(text: string): JsonValue {

    const value = JSON.parse(text) as JsonValue;
    const numbers: number[] = [];
    inspect(text, Infinity, numbers);
    addNumberTexts(value, text, numbers);
    return value;
}

/**
 * Reads JSON as it arrives in query parameters: strict JSON, or what Python prints for lists and dictionaries (single
 * quotes, `True`, `False`, `None`), since published clients send that.
 */
export function parseLenientJson(text: string, given: JsonTextOptions = {}): JsonValue {

    const options = { maxValues: PARAMETER_VALUES, ...given };
    try {
        return parseJson(text, options);
    }
    catch (error) {
        if (!text.includes('\'') || !isJsonSyntaxError(error)) {
            throw error;
        }

        const json = jsonFromPython(text);
        if (json === null) {
            throw error;
        }

        try {
            return parseJson(json, options);
        }
        catch {
            throw error;                                    // The caller knows the text as it was sent
        }
    }
}

/**
 * Reads a parameter that is JSON where it happens to be valid JSON and plain text otherwise. A lone number that JavaScript would
 * write otherwise stays text; values inside arrays and objects are as strict as everywhere.
 */
export function parseJsonOrText(text: string, options: JsonTextOptions = {}): JsonValue {

    if (!/^[\s]*[[{"\-0-9tfn]/.test(text)) {
        return text;
    }

    try {
        const value = parseJson(text, { maxValues: PARAMETER_VALUES, ...options });
        return typeof value === 'number' && String(value) !== text.trim() ? text : value;
    }
    catch (error) {
        if (isJsonSyntaxError(error) || /^\s*-?[0-9]/.test(text)) {
            return text;
        }

        throw error;
    }
}

/** Decodes UTF-8 without its byte order mark; 400 when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, name = 'the text'): string {

    if (!isUtf8(bytes)) {
        throw badRequest(`${name} is not valid UTF-8`);
    }

    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return withoutMark(buffer.toString('utf8'));
}

/** True for properties that could reach a prototype when objects are merged or copied carelessly. */
export function reachesPrototype(key: string, value: unknown): boolean {

    return key === '__proto__' ||
        key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

function isJsonSyntaxError(error: unknown): boolean {

    return error instanceof DoipError && error.details['line'] !== undefined;
}

function withoutMark(text: string): string {

    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The number of properties in a value, or FAULTY when one reaches for a prototype. Depth is bounded by the inspection. */
function countProperties(value: JsonValue): number {

    if (typeof value !== 'object' || value === null) {
        return 0;
    }

    return Array.isArray(value) ? countInArray(value) : countInObject(value);
}

function countInArray(values: JsonValue[]): number {

    let count = 0;
    for (const value of values) {
        const inner = countProperties(value);
        if (inner === FAULTY) {
            return FAULTY;
        }

        count += inner;
    }

    return count;
}

function countInObject(object: JsonObject): number {

    const keys = Object.keys(object);
    let count = keys.length;
    for (const key of keys) {
        const value = object[key] as JsonValue;
        const inner = reachesPrototype(key, value) ? FAULTY : countProperties(value);
        if (inner === FAULTY) {
            return FAULTY;
        }

        count += inner;
    }

    return count;
}
