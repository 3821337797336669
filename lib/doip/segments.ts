/**
 * Making and reading sequences of segments. Bytes never gather here: whoever skips a body drains it.
 */

import type { BytesSegment, JsonSegment, Segment } from './envelope.js';
import type { JsonValue } from './json.js';
import { badRequest } from './error.js';

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
            throw badRequest(`the input is longer than the allowed ${limit} bytes`, { http: 413 });
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks, length);
}

/** Requires that there is no input. */
export async function expectNone(input: AsyncIterable<Segment>): Promise<void> {

    for await (const segment of input) {
        void segment;
        throw badRequest('Unexpected input');
    }
}

/** Reads the one JSON segment that an operation expects; 400 when there is none, another kind, or more. */
export async function readJson(input: AsyncIterable<Segment>): Promise<JsonValue> {

    let value: JsonValue | undefined;
    for await (const segment of input) {
        if (value !== undefined) {
            throw badRequest('expected one JSON input, got more segments');
        }

        if (segment.kind !== 'json') {
            throw badRequest('expected JSON input, got bytes');
        }

        value = segment.value;
    }

    if (value === undefined) {
        throw badRequest('Missing input');
    }

    return value;
}

async function *once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes;
}
