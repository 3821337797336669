/**
 * Strict JSON parser. What JavaScript would accept but alter or drop (duplicate property names, lone surrogates, `__proto__`) is
 * rejected, and numbers keep their text (`exact-numbers.ts`), so that content is returned as it was sent.
 *
 * One fast scan finds what JSON.parse does not report; JSON.parse builds the value; counting its properties detects duplicate
 * names. Only after an error, a second, slower parser (`parse-error.ts`) locates it.
 */

import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { badRequest, DoipError, tooLarge } from '../errors/errors.js';
import { valueCountSteps } from './value-counter.js';
import { explainError, malformed } from './parse-error.js';
import { addNumberTexts } from './number-positions.js';
import { SentNumber } from './exact-numbers.js';
import { INVALID, inspect, inspectionSteps, MAX_WRITTEN_LENGTH } from './scanner.js';
import { turnFor } from '../util/concurrency/event-loop-yielder.js';
import { atOnce, inTurns, type Steps } from '../util/concurrency/steps.js';
import { jsonFromPython } from '../util/text/python-format.js';

/** Limits, and the name of the text in messages. */
export interface JsonTextOptions {
    /** Maximum nesting of arrays and objects; default {@link DEFAULT_MAX_DEPTH}. */
    readonly maxDepth?: number;
    /** Maximum number of values, including nested ones; default unlimited. */
    readonly maxValues?: number;
    /** Name of the text in messages, such as `parameter attributes`; default `JSON`. */
    readonly name?: string;
    /** Return a standalone number that JavaScript writes differently as a {@link SentNumber}. */
    readonly sentNumber?: boolean;
    /** False for callers who do not show where a syntax error is, as finding that takes far longer than parsing. Default true. */
    readonly locatesErrors?: boolean;
    /** False to say of what is no strict JSON only that, for long texts: the reason takes far longer to find than to parse them. Default true. */
    readonly explainsErrors?: boolean;
}

/** Maximum number of values in a parameter, since parameters come from any client. */
export const PARAMETER_VALUES = 20_000;

/** Maximum length of a text in Python's notation, which clients send in the query string. */
const MAX_PYTHON_LENGTH = 64 * 1024;

/** Default for the maximum nesting. */
export const DEFAULT_MAX_DEPTH = 128;

/**
 * Parses JSON text. Bytes must be UTF-8; a byte order mark is skipped.
 *
 * @throws DoipError 413 for more values than allowed, and for many long numbers; 400 for invalid UTF-8, for syntax errors (with
 * line and column), and with a JSON pointer for: nesting beyond the limit, duplicate property names, properties that could reach a
 * prototype, lone surrogates, numbers beyond the range of doubles or of more than 1,000 characters
 */
export function parseJson(input: string | Uint8Array, options: JsonTextOptions = {}): JsonValue {

    return atOnce(parseSteps(input, options));
}

/** Parses JSON text like {@link parseJson}; a long text in several turns of the event loop. */
export async function parseJsonInTurns(input: string | Uint8Array, options: JsonTextOptions = {}): Promise<JsonValue> {

    await turnFor(input.length);
    const value = await inTurns(parseSteps(input, options));
    await turnFor(input.length);
    return value;
}

/** The steps of {@link parseJson}. */
export function *parseSteps(input: string | Uint8Array, options: JsonTextOptions = {}): Steps<JsonValue> {

    const { maxValues = Infinity, name = 'JSON' } = options;
    const text = typeof input === 'string' ? withoutMark(input) : decodeUtf8(input, name);
    yield;
    yield* valueCountSteps(text, maxValues, name);
    yield;
    const scanned = yield* scan(text, options);
    yield;
    return yield* parseScanned(text, scanned, options);
}

/** What a scan of a text has found. */
interface Scan {
    readonly colons: number;
    readonly numbers: readonly number[];
}

function *scan(text: string, { maxDepth = DEFAULT_MAX_DEPTH, maxValues = Infinity, name = 'JSON' }: JsonTextOptions): Steps<Scan> {

    const numbers: number[] = [];
    const colons = yield* inspectionSteps(text, maxDepth, numbers);
    checkNumberLengths(numbers, maxValues, name);
    return { colons, numbers };
}

function *parseScanned(text: string, { colons, numbers }: Scan, options: JsonTextOptions): Steps<JsonValue> {

    const { name = 'JSON', sentNumber = false, locatesErrors = true, explainsErrors = true } = options;
    if (colons === INVALID && !explainsErrors) {
        throw notStrict(name);
    }

    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    }
    catch {
        yield;
        // With a better message than JSON.parse
        throw locatesErrors ? yield* explained(text, options) : malformed(name);
    }

    yield;
    if (colons === INVALID || countProperties(value) !== colons) {
        throw yield* explained(text, options);
    }

    if (sentNumber && typeof value === 'number' && numbers.length > 0) {
        return new SentNumber(text.trim()) as unknown as JsonValue;
    }

    addNumberTexts(value, text, numbers);
    return value;
}

function *explained(text: string, { maxDepth = DEFAULT_MAX_DEPTH, name = 'JSON', explainsErrors = true }: JsonTextOptions): Steps<DoipError> {

    return explainsErrors ? yield* explainError(text, maxDepth, name) : notStrict(name);
}

function notStrict(name: string): DoipError {

    return badRequest(`${name} is not strict JSON: an unpaired surrogate, a name twice or one such as __proto__, a number beyond doubles, or too many levels`);
}

/** Limits the total length of numbers longer than JavaScript writes them, since they cost time by their length. */
function checkNumberLengths(numbers: readonly number[], maxValues: number, name: string): void {

    const maxLength = maxValues * MAX_WRITTEN_LENGTH;
    let length = 0;
    for (let i = 0; i < numbers.length; i += 2) {
        length += (numbers[i + 1] ?? 0) - (numbers[i] ?? 0);
        if (length > maxLength) {
            throw tooLarge(`${name} holds numbers of more than the allowed ${maxLength} characters together`);
        }
    }
}

/** Parses JSON text written by this service, with the texts of its numbers and without checks. */
export function parseOwnJson(text: string): JsonValue {

    const value = JSON.parse(text) as JsonValue;
    const numbers: number[] = [];
    inspect(text, Infinity, numbers);
    addNumberTexts(value, text, numbers);
    return value;
}

/**
 * Parses JSON of query parameters: strict JSON, or Python's output of lists and dictionaries (single quotes, `True`, `False`,
 * `None`), which published clients send, if the text is not longer than {@link MAX_PYTHON_LENGTH}.
 */
export function parseLenientJson(text: string, overrides: JsonTextOptions = {}): JsonValue {

    const options = { maxValues: PARAMETER_VALUES, ...overrides };
    try {
        return parseJson(text, options);
    }
    catch (error) {
        if (text.length > MAX_PYTHON_LENGTH || !text.includes('\'') || !isJsonSyntaxError(error)) {
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
            throw error;                                    // Positions refer to the text as sent
        }
    }
}

/** True for a text that begins like JSON. */
export function mayBeJson(text: string): boolean {

    return /^\s*[[{"\-0-9tfn]/.test(text);
}

/**
 * Parses a parameter as JSON if it is valid JSON, otherwise returns it as text. A standalone number that JavaScript writes
 * differently is a {@link SentNumber}, and one beyond the range of doubles stays text; nested values are as strict as everywhere.
 */
export function parseJsonOrText(text: string, options: JsonTextOptions = {}): JsonValue {

    if (!mayBeJson(text)) {
        return text;
    }

    try {
        return parseJson(text, { maxValues: PARAMETER_VALUES, ...options, sentNumber: true, locatesErrors: false });
    }
    catch (error) {
        if (isJsonSyntaxError(error) || /^\s*-?[0-9]/.test(text)) {
            return text;
        }

        throw error;
    }
}

/** Decodes UTF-8 without its byte order mark; throws DoipError 400 when it is invalid. */
export function decodeUtf8(bytes: Uint8Array, name = 'the text'): string {

    if (!isUtf8(bytes)) {
        throw badRequest(`${name} is not valid UTF-8`);
    }

    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return withoutMark(buffer.toString('utf8'));
}

/** Returns whether a property could reach a prototype when objects are merged or copied carelessly. */
function reachesPrototype(key: string, value: unknown): boolean {

    return key === '__proto__' ||
        key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

function isJsonSyntaxError(error: unknown): boolean {

    return error instanceof DoipError && error.details['line'] !== undefined;
}

function withoutMark(text: string): string {

    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Counts the properties of a value; INVALID when one could reach a prototype. The scan has limited the depth. */
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
        if (inner === INVALID) {
            return INVALID;
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
        const inner = reachesPrototype(key, value) ? INVALID : countProperties(value);
        if (inner === INVALID) {
            return INVALID;
        }

        count += inner;
    }

    return count;
}
