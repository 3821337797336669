/**
 * Making and reading sequences of segments. Bytes never gather here: whoever skips a body drains it.
 */

import type { BytesSegment, JsonSegment, Segment } from './envelope.js';
import type { JsonValue } from '../util/json-types.js';
import type { DoipError } from '../errors/errors.js';
import { badRequest, tooLarge } from '../errors/errors.js';
import { parseJson } from '../json/strict-parser.js';

/** Bytes of a JSON input that are read where nobody says otherwise. */
const JSON_LIMIT = 4 * 1024 * 1024;

/** Values of such an input. */
const JSON_VALUES = 20_000;

/** No segments at all. */
export async function *empty(): AsyncGenerator<Segment> {

    // An input or output of nothing.
}

/** A JSON segment. */
export function jsonSegment(value: JsonValue): JsonSegment {

    return { kind: 'json', value };
}

/** A segment of bytes that are in memory already. */
export function bytesSegment(bytes: Uint8Array, facts: { mediaType?: string; filename?: string } = {}): BytesSegment {

    return { kind: 'bytes', body: once(bytes), length: bytes.byteLength, ...facts };
}

/** The given segments as a sequence. */
export async function *sequence(...segments: readonly Segment[]): AsyncGenerator<Segment> {

    yield *segments;
}

/** One JSON segment as a sequence. */
export async function *json(value: JsonValue): AsyncGenerator<Segment> {

    yield { kind: 'json', value };
}

/** Reads a body to its end and forgets it. */
export async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {

    for await (const chunk of body) {
        void chunk;
    }
}

/** Reads a body into memory; 400 (413 over HTTP) when it is longer than `limit` bytes. */
export async function readBytes(body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {

    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body) {
        length += chunk.byteLength;
        if (length > limit) {
            throw inputTooLong(limit);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks, length);
}

/** 413: more input than `limit` bytes. */
export function inputTooLong(limit: number): DoipError {

    return tooLarge(`the input is longer than the allowed ${limit} bytes`);
}

/** Requires that there is no input. */
export async function expectNone(input: AsyncIterable<Segment>): Promise<void> {

    for await (const segment of input) {
        void segment;
        throw badRequest('Unexpected input');
    }
}

/**
 * The JSON value of a segment. A carrier may hand JSON over as bytes with a JSON media type, because what follows the header
 * of an element must come through byte for byte; such bytes are parsed here.
 */
export async function jsonOf(segment: Segment, limit = JSON_LIMIT): Promise<JsonValue> {

    if (segment.kind === 'json') {
        return segment.value;
    }

    if (!/^application\/([^;\s]+\+)?json\s*(;|$)/i.test(segment.mediaType ?? '')) {
        throw badRequest('expected JSON input, got bytes: JSON has the media type application/json');
    }

    return parseJson(await readBytes(segment.body, limit), { maxValues: JSON_VALUES });
}

/** Reads the one JSON segment that an operation may be given; undefined when there is no input at all. */
export async function readOptionalJson(input: AsyncIterable<Segment>): Promise<JsonValue | undefined> {

    let value: JsonValue | undefined;
    for await (const segment of input) {
        if (value !== undefined) {
            throw badRequest('Unexpected input segments: expected one JSON input');
        }

        value = await jsonOf(segment);
    }

    return value;
}

/** Reads the one JSON segment that an operation expects; 400 when there is none, another kind, or more. */
export async function readJson(input: AsyncIterable<Segment>): Promise<JsonValue> {

    const value = await readOptionalJson(input);
    if (value === undefined) {
        throw badRequest('Missing input');
    }

    return value;
}

async function *once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes;
}
