/**
 * Helpers to make and read sequences of segments. A body that is skipped has to be drained.
 */

import type { BytesSegment, JsonSegment, MemoryLimits, Segment } from './envelope.js';
import type { JsonValue } from '../util/json-types.js';
import type { DoipError } from '../errors/errors.js';
import { badRequest, tooLarge } from '../errors/errors.js';
import { jsonText } from '../json/raw-json.js';
import { DEFAULT_MAX_DEPTH, parseJsonInTurns, parseOwnJson } from '../json/strict-parser.js';
import { ByteBuffer } from '../util/streams/byte-buffer.js';

/** Limits of segments whose carrier has none. */
export const OWN_LIMITS: MemoryLimits = { jsonBytes: 4 * 1024 * 1024, jsonDepth: DEFAULT_MAX_DEPTH, jsonValues: 20_000 };

/** One JSON value, or nothing, as most inputs and outputs are: it is read without waiting. */
export class JsonInMemory implements AsyncIterable<Segment> {

    /** Null for nothing. */
    readonly segment: JsonSegment | null;

    constructor(segment: JsonSegment | null = null) {

        this.segment = segment;
    }

    get value(): JsonValue | undefined {

        return this.segment?.value;
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<Segment> {

        if (this.segment) {
            yield this.segment;
        }
    }
}

/** A JSON value that stays text until somebody reads it: carriers send the text. */
class JsonTextSegment implements JsonSegment {

    readonly kind = 'json';
    readonly text: string;
    #value: JsonValue | undefined;

    constructor(text: string) {

        this.text = text;
    }

    get value(): JsonValue {

        this.#value ??= parseOwnJson(this.text);
        return this.#value;
    }
}

const NONE = new JsonInMemory();

/** Yields no segments. */
export function empty(): AsyncIterable<Segment> {

    return NONE;
}

/** Returns a JSON segment. */
export function jsonSegment(value: JsonValue): JsonSegment {

    return { kind: 'json', value };
}

/** Returns a segment of bytes in memory. */
export function bytesSegment(bytes: Uint8Array, properties: { mediaType?: string; filename?: string } = {}): BytesSegment {

    return { kind: 'bytes', body: once(bytes), length: bytes.byteLength, ...properties };
}

/** Yields the given segments. */
export async function *sequence(...segments: readonly Segment[]): AsyncGenerator<Segment> {

    yield *segments;
}

/** Yields one JSON segment. */
export function json(value: JsonValue): AsyncIterable<Segment> {

    return new JsonInMemory(value === undefined ? null : jsonSegment(value));
}

/** Yields one JSON segment of a text, which must be strict JSON. */
export function jsonOfText(text: string): AsyncIterable<Segment> {

    return new JsonInMemory(new JsonTextSegment(text));
}

/** Returns the JSON text of a segment. */
export function textOf(segment: JsonSegment): string {

    return segment.text ?? jsonText(segment.value);
}

/** Reads a body to its end and discards it. */
export async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {

    for await (const chunk of body) {
        void chunk;
    }
}

/** The bytes of all segments, JSON as its text. Closing them closes the segments. */
export async function *bytesOf(segments: AsyncIterable<Segment>): AsyncGenerator<Uint8Array, void, undefined> {

    for await (const segment of segments) {
        if (segment.kind === 'bytes') {
            yield *segment.body;
        }
        else {
            yield Buffer.from(textOf(segment));
        }
    }
}

/**
 * Reads a body into memory.
 *
 * @param memory is charged with the bytes as they arrive
 * @throws DoipError 400 (413 over HTTP) if it is longer than `limit` bytes
 */
export async function readBytes(body: AsyncIterable<Uint8Array>, limit: number, memory?: MemoryLimits['memory']): Promise<Buffer> {

    const buffer = new ByteBuffer(limit);
    for await (const chunk of body) {
        memory?.reserve(chunk.byteLength);
        buffer.add(chunk);
        if (buffer.length > limit) {
            throw inputTooLong(limit);
        }
    }

    return buffer.finish().bytes ?? Buffer.alloc(0);
}

/** Returns the error 413 for an input of more than `limit` bytes. */
export function inputTooLong(limit: number): DoipError {

    return tooLarge(`the input is longer than the allowed ${limit} bytes`);
}

/** True for an input of which it is known without reading it that it is empty, or null, which some clients send for none. */
export function isNone(input: AsyncIterable<Segment>): boolean {

    return input instanceof JsonInMemory && (input.value ?? null) === null;
}

/** Checks that the input is empty, or null. @throws DoipError 400 */
export async function expectNone(input: AsyncIterable<Segment>): Promise<void> {

    if (isNone(input)) {
        return;
    }

    for await (const segment of input) {
        void segment;
        throw badRequest('Unexpected input');
    }
}

/**
 * Returns the JSON value of a segment. Parses bytes that are JSON by their media type or their carrier, as carriers pass on all segments
 * after the first one unparsed.
 *
 * @throws DoipError 400 for other bytes, invalid JSON, or more than the limits of the segment allow; 429 or 503 if they do not fit into memory
 */
export async function jsonOf(segment: Segment): Promise<JsonValue> {

    if (segment.kind === 'json') {
        return segment.value;
    }

    if (!segment.isJson && !/^application\/([^;\s]+\+)?json\s*(;|$)/i.test(segment.mediaType ?? '')) {
        throw badRequest('expected JSON input, got bytes: JSON has the media type application/json');
    }

    const { jsonBytes, jsonDepth, jsonValues, memory } = segment.limits ?? OWN_LIMITS;
    return await parseJsonInTurns(await readBytes(segment.body, jsonBytes, memory), { maxDepth: jsonDepth, maxValues: jsonValues });
}

/** Reads an optional JSON input; undefined if there is no input. @throws DoipError 400 if there is another kind or more than one segment */
export async function readOptionalJson(input: AsyncIterable<Segment>): Promise<JsonValue | undefined> {

    if (input instanceof JsonInMemory) {
        return input.value;
    }

    let value: JsonValue | undefined;
    for await (const segment of input) {
        if (value !== undefined) {
            throw badRequest('Unexpected input segments: expected one JSON input');
        }

        value = await jsonOf(segment);
    }

    return value;
}

/** Reads a required JSON input. @throws DoipError 400 if there is none, another kind, or more than one segment */
export async function readJson(input: AsyncIterable<Segment>): Promise<JsonValue> {

    const value = input instanceof JsonInMemory ? input.value : await readOptionalJson(input);
    if (value === undefined) {
        throw badRequest('Missing input');
    }

    return value;
}

async function *once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes;
}
