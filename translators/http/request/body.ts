/**
 * Request bodies. Routes receive the raw stream (see {@link STREAMED}), which is converted here to bytes, text, JSON, form fields, parts or
 * segments. Limits apply while reading, after decompression.
 */

import type { Readable } from 'node:stream';
import type { BytesSegment, Segment } from '../../../lib/doip/envelope.js';
import type { DoipError } from '../../../lib/errors/errors.js';
import { badRequest } from '../../../lib/errors/errors.js';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { decodeUtf8, parseJsonInTurns } from '../../../lib/json/strict-parser.js';
import { turnFor } from '../../../lib/util/concurrency/event-loop-yielder.js';
import { startingWith } from '../../../lib/util/streams/starting-with.js';
import { bytesSegment, empty, inputTooLong, jsonSegment, readBytes } from '../../../lib/doip/segments.js';
import { contentType, FORM_TYPE, isJsonType, parseMediaType } from '../headers/content-type.js';
import { parseDisposition } from '../headers/content-disposition.js';
import type { RequestHeaders } from '../headers/decode.js';
import { demandSupportedCoding } from './content-coding.js';
import { header } from '../headers/decode.js';
import type { Part } from './multipart.js';
import { parseMultipart } from './multipart.js';
import type { HttpLimits } from './translator-options.js';
import { parseParameters } from './url.js';
import type { Parameter } from './url.js';

/** The part of a hapi request that is used here; the payload is a stream or null. */
export interface RequestWithBody {
    /** In lower case, as in hapi. */
    readonly method: string;
    readonly headers: RequestHeaders;
    readonly payload: unknown;
    readonly raw?: { readonly req: Readable };
}

/** hapi's `payload` options for routes that read their body through this module. */
export const STREAMED = {
    output: 'stream',
    parse: 'gunzip',
    maxBytes: Number.MAX_SAFE_INTEGER,
    timeout: false,
    override: 'application/octet-stream'                    // hapi must not reject media types
} as const;

/**
 * The body as bytes. Leaving the loop early keeps the connection. Stream errors become 400: the client disconnected or sent invalid
 * compressed data.
 */
export async function *bodyBytes(request: RequestWithBody): AsyncGenerator<Buffer> {

    const stream = streamOf(request);
    if (!stream) {
        return;
    }

    demandSupportedCoding(request.headers);
    const source = request.raw?.req;
    if (source && source !== stream) {
        breakWith(source, stream);
    }

    try {
        for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
            if (chunk.length > 0) {
                yield chunk;
            }
        }
    }
    catch (error) {
        throw asRequestError(error, request);
    }
}

/** Reads the body as JSON, whatever its media type; undefined when empty. */
export async function readJsonBody(request: RequestWithBody, limits: HttpLimits, sentNumber = false): Promise<JsonValue | undefined> {

    const bytes = await readFully(request, limits.jsonBytes, limits);
    return bytes.length === 0 ? undefined : parseJsonInTurns(bytes, { maxDepth: limits.jsonDepth, maxValues: limits.jsonValues, sentNumber });
}

/** Reads the body as text. Throws 400 when it is not UTF-8. */
export async function readTextBody(request: RequestWithBody, limits: HttpLimits): Promise<string> {

    return decodeUtf8(await readFully(request, limits.formBytes, limits), 'the body');
}

/** True for a form whose fields are parameters like those of the query string. */
export function isForm(request: RequestWithBody): boolean {

    return request.method === 'post' && contentType(request.headers).essence === FORM_TYPE;
}

/** Reads the fields of a form body ({@link isForm}), a long one in a turn of the event loop of its own; none for other requests. */
export async function readForm(request: RequestWithBody, limits: HttpLimits): Promise<Parameter[]> {

    if (!isForm(request)) {
        return [];
    }

    const text = await readTextBody(request, limits);
    await turnFor(text.length);
    const parameters = parseParameters(text, limits.parameters);
    await turnFor(text.length);
    return parameters;
}

/** The parts of a multipart body. */
export function readParts(request: RequestWithBody, limits: HttpLimits): AsyncGenerator<Part> {

    return parseMultipart(bodyBytes(request), contentType(request.headers), limits);
}

/** Reads the JSON value of a part, whatever its media type. */
export async function readJsonPart(part: Part, limits: HttpLimits, sentNumber = false): Promise<JsonValue> {

    const bytes = await readBytes(part.body, limits.jsonBytes, limits.memory);
    const name = part.name === undefined ? 'JSON' : `part ${part.name.slice(0, 60)}`;
    return parseJsonInTurns(bytes, { maxDepth: limits.jsonDepth, maxValues: limits.jsonValues, sentNumber, name });
}

/** Reads the text of a form field in a multipart body. */
export async function readTextPart(part: Part, limits: HttpLimits): Promise<string> {

    return decodeUtf8(await readBytes(part.body, limits.formBytes, limits.memory), `part ${(part.name ?? '').slice(0, 60)}`);
}

/** A part as a segment of bytes, with metadata from its headers. */
export function bytesPart({ body, mediaType, filename }: Part, limits: HttpLimits): BytesSegment {

    return bytesOf(body, { mediaType, filename, limits });
}

/**
 * The body as input of an operation (specification, "Input mapping"): no segment for GET, an empty body and a form; one JSON segment for
 * JSON; one segment per part of multipart/mixed; for multipart/form-data one segment for the first part, and a pair `{id: name}` and
 * content for each later one; otherwise one segment of bytes.
 *
 * Only the first part is parsed as JSON; see {@link BytesSegment}.
 */
export function readSegments(request: RequestWithBody, limits: HttpLimits): AsyncIterable<Segment> {

    return segmentsOf(request, limits, true);
}

/** Like {@link readSegments}, but a JSON body is one segment of bytes of any length. */
export function readRawSegments(request: RequestWithBody, limits: HttpLimits): AsyncIterable<Segment> {

    return segmentsOf(request, limits, false);
}

function segmentsOf(request: RequestWithBody, limits: HttpLimits, isParsed: boolean): AsyncIterable<Segment> {

    const isEmpty = request.method === 'get' || request.method === 'head' || isForm(request);
    return isEmpty ? empty() : segmentsOfBody(request, limits, isParsed);
}

async function *segmentsOfBody(request: RequestWithBody, limits: HttpLimits, isParsed: boolean): AsyncGenerator<Segment> {

    const type = contentType(request.headers);
    if (isParsed && isJsonType(type.essence)) {
        const value = await readJsonBody(request, limits);
        yield *value === undefined ? [] : [jsonSegment(value)];
        return;
    }

    const bytes = await unlessEmpty(bodyBytes(request));
    if (!bytes) {
        return;
    }

    if (type.essence === 'multipart/mixed' || type.essence === 'multipart/form-data') {
        yield *partSegments(parseMultipart(bytes, type, limits), type.essence === 'multipart/form-data', limits);
    }
    else {
        const disposition = parseDisposition(header(request.headers, 'content-disposition') ?? '');
        yield bytesOf(bytes, { mediaType: header(request.headers, 'content-type'), filename: disposition.filename, limits });
    }
}

async function *partSegments(parts: AsyncIterable<Part>, isFormData: boolean, limits: HttpLimits): AsyncGenerator<Segment> {

    let isFirst = true;
    for await (const part of parts) {
        if (isFirst) {
            yield await firstSegment(part, isFormData, limits);
            isFirst = false;
            continue;
        }

        if (isFormData) {
            if (part.name === undefined) {
                throw badRequest('a part of the form has no name');
            }

            yield jsonSegment({ id: part.name });
        }

        yield bytesPart(part, limits);
    }
}

async function firstSegment(part: Part, isFormData: boolean, limits: HttpLimits): Promise<Segment> {

    if (isJsonType(parseMediaType(part.mediaType ?? '').essence)) {
        return jsonSegment(await readJsonPart(part, limits));
    }

    if (isFormData && part.mediaType === undefined && part.filename === undefined) {
        return await untypedField(await readBytes(part.body, limits.formBytes, limits.memory), limits);
    }

    return bytesPart(part, limits);
}

/** Converts a plain form field, which has no media type; one that starts like a JSON object is parsed as JSON. */
async function untypedField(bytes: Buffer, limits: HttpLimits): Promise<Segment> {

    return /^\s*\{/.test(bytes.toString('latin1', 0, 64))
        ? jsonSegment(await parseJsonInTurns(bytes, { maxDepth: limits.jsonDepth, maxValues: limits.jsonValues }))
        : bytesSegment(bytes);
}

/** What is known of bytes. */
interface BytesFacts {
    readonly mediaType: string | undefined;
    readonly filename: string | undefined;
    readonly limits: HttpLimits;
}

function bytesOf(body: AsyncIterable<Uint8Array>, { mediaType, filename, limits }: BytesFacts): BytesSegment {

    return {
        kind: 'bytes',
        body,
        limits,
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(filename === undefined ? {} : { filename })
    };
}

/** Buffers a whole body. Throws at once when Content-Length exceeds the limit. */
export async function readFully(request: RequestWithBody, limit: number, limits: HttpLimits): Promise<Buffer> {

    const isPlain = (header(request.headers, 'content-encoding') ?? 'identity') === 'identity';
    if (isPlain && Number(header(request.headers, 'content-length')) > limit) {
        throw inputTooLong(limit);
    }

    return readBytes(bodyBytes(request), limit, limits.memory);
}

/** Returns the bytes, or null for an empty body. */
async function unlessEmpty(bytes: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer> | null> {

    const first = await bytes.next();
    return first.done === true ? null : startingWith(first, bytes);
}

function streamOf(request: RequestWithBody): Readable | null {

    const payload = request.payload as Readable | null | undefined;
    return typeof payload?.iterator === 'function' ? payload : null;
}

/** Propagates the end of the source, which a decompressor does not detect itself (HTTP/2 only emits `close`). */
function breakWith(source: Readable, stream: Readable): void {

    const check = (): void => {

        if (!source.readableEnded) {
            stream.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
        }
    };

    if (source.destroyed) {
        check();
    }

    source.once('close', check);
}

function asRequestError(error: unknown, request: RequestWithBody): DoipError {

    const { code, data } = error as { code?: unknown; data?: { code?: unknown } };      // hapi wraps errors of the decompressor
    const encoding = header(request.headers, 'content-encoding');
    const isBroken = code === 'ECONNRESET' || data?.code === 'ECONNRESET' || encoding === undefined;
    return badRequest(isBroken ? 'the request body ends early' : `the request body is not valid ${encoding.slice(0, 40)}`, {
        reason: (error as Error).message
    });
}
