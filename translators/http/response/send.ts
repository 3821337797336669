/** Sends replies through hapi. */

import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { DoipResponse, BytesSegment, JsonSegment } from '../../../lib/doip/envelope.js';
import type { Reply, ReplyBody } from './reply.js';
import { ByteStream } from './byte-stream.js';
import { isMediaType } from '../headers/content-type.js';
import { readOutput, closeOutput } from './output.js';
import { withForeignType } from './content-sandbox.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { writeJson } from '../../../lib/json/serializer.js';
import { jsonText } from '../../../lib/json/raw-json.js';
import { JsonInMemory } from '../../../lib/doip/segments.js';
import { type DoipError, preconditionFailed } from '../../../lib/errors/errors.js';
import { allowed } from '../request/methods.js';
import { formatDisposition } from '../headers/content-disposition.js';
import { indented } from './indented-text.js';
import { pacedText } from './json-texts.js';
import { writeMultipart } from './multipart-writer.js';
import type { Output } from './output.js';
import { demandedTags, heldTag } from '../headers/entity-tag.js';
import { answeredRange, formatContentRange } from '../headers/range.js';

/** Converts a reply to a hapi response. `response` is that of the operation. */
export async function send(request: Request, h: ResponseToolkit, { code, headers, body }: Reply, response: DoipResponse): Promise<ResponseObject> {

    const answered = await sendBody(request, h, body, response);
    if (code !== undefined) {
        answered.code(code);
    }

    for (const name in headers) {
        const values = headers[name] ?? [];
        if (typeof values === 'string') {
            answered.header(name, values);
            continue;
        }

        for (const value of values) {
            answered.header(name, value, { append: true });
        }
    }

    return answered;
}

/** A response before it is sent, with the tag of its version. */
interface Tagged extends Pick<DoipResponse, 'output'> {
    readonly entityTag?: string | undefined;
}

/** The error where a client that reads demands another version, whose output it closes; null if the client does not. */
export function otherVersion(request: Request, { entityTag, output }: Tagged): Promise<DoipError> | null {

    const tags = isRead(request) ? demandedTags(request.headers) : undefined;
    return tags === undefined || entityTag !== undefined && tags.includes(entityTag) ? null : reject(output);
}

async function reject(output: DoipResponse['output']): Promise<DoipError> {

    await output[Symbol.asyncIterator]().return?.();
    return preconditionFailed('there is another version than the request demands');
}

function isRead({ method }: Request): boolean {

    return method === 'get' || method === 'head';
}

/** Responds without the body, and closes the output, if the client has it already; null if it has not. */
export function notModified(request: Request, h: ResponseToolkit, { entityTag, output }: Tagged): Promise<ResponseObject> | null {

    const isKnown = entityTag !== undefined && isRead(request) && heldTag(request.headers, entityTag) !== undefined;
    return isKnown ? respondUnmodified(h, output) : null;
}

async function respondUnmodified(h: ResponseToolkit, output: DoipResponse['output']): Promise<ResponseObject> {

    await output[Symbol.asyncIterator]().return?.();
    const response = h.response().code(304);
    return output instanceof JsonInMemory ? response.vary('accept-encoding') : response;       // Which is compressed where the client takes it
}

function sendBody(request: Request, h: ResponseToolkit, body: ReplyBody, response: DoipResponse): Promise<ResponseObject> | ResponseObject {

    switch (body.kind) {
        case 'json':
            return respondJson(h, body.value, { pretty: body.pretty });
        case 'text':
            return withForeignType(h.response(body.text), isMediaType(body.mediaType) ? body.mediaType : 'text/plain');
        case 'texts':
            return sendTexts(h, body.texts, body.mediaType);
        case 'output':
            return sendOutput(request, h, body, response);
    }
}

async function sendOutput(
    request: Request, h: ResponseToolkit, { kind: _, ...properties }: Extract<ReplyBody, { kind: 'output' }>, response: DoipResponse
): Promise<ResponseObject> {

    return await respond(request, h, await readOutput(response), { attributes: response.attributes, ...properties });
}

/** Sends text in chunks. A single chunk is sent with its length; an error before the second chunk still gives an error response. */
async function sendTexts(h: ResponseToolkit, texts: AsyncIterable<string>, mediaType = 'application/json'): Promise<ResponseObject> {

    const iterator = texts[Symbol.asyncIterator]();
    const first = await iterator.next();
    const second = first.done === true ? first : await iterator.next();
    if (second.done === true) {
        return h.response(first.done === true ? '' : first.value).type(mediaType);
    }

    const start = String(first.value) + second.value;
    const stream = new ByteStream({ body: utf8(start, iterator), close: async () => void await iterator.return?.() });
    return h.response(stream).type(mediaType);
}

async function *utf8(start: string, iterator: AsyncIterator<string>): AsyncGenerator<Uint8Array> {

    yield Buffer.from(start);
    let next = await iterator.next();
    while (next.done !== true) {
        yield Buffer.from(next.value);
        next = await iterator.next();
    }
}

/** A segment as the body of a response. */
interface BytesBody {
    readonly segment: BytesSegment;
    readonly source: Buffer | ByteStream;
}

/** Facts about a response besides its output. */
export interface ResponseFacts {
    /** Attributes of the DOIP response, of which `mediaType`, `filename` and `range` are used. */
    readonly attributes?: JsonObject;
    /** HTTP status; default 200. */
    readonly code?: number;
    /** Indents JSON by two spaces. */
    readonly pretty?: boolean;
    /** Disposition type of Content-Disposition; default `inline`. */
    readonly disposition?: string;
    /** True for files of administrators, which may contain scripts for pages of the service. */
    readonly isTrusted?: boolean;
}

/** Converts any output to a response. */
export async function respond(request: Request, h: ResponseToolkit, output: Output, facts: ResponseFacts = {}): Promise<ResponseObject> {

    try {
        switch (output.kind) {
            case 'empty':
                return respondEmpty(h, facts.code);
            case 'json':
                return await respondSegment(h, output, facts);
            case 'bytes': {
                const source = output.ready ?? await beginStream(request, output);
                try {
                    return respondBytes(request, h, { segment: output.segment, source }, facts);
                }
                catch (error) {
                    if (source instanceof ByteStream) {
                        source.destroy();
                    }

                    throw error;
                }
            }

            case 'segments': {
                const { contentType, body } = writeMultipart(output.segments);
                const stream = new ByteStream({ body, close: () => output.close() });
                return h.response(stream).code(facts.code ?? 200).type(contentType);
            }
        }
    }
    catch (error) {
        await closeOutput(output);
        throw error;
    }
}

/** A response without body and Content-Type. */
function respondEmpty(h: ResponseToolkit, code = 200): ResponseObject {

    return h.response().code(code);                         // Explicit, since hapi would change it to 204
}

/** The response to OPTIONS. */
export function respondOptions(h: ResponseToolkit, methods: readonly string[]): ResponseObject {

    return h.response().code(204).header('allow', allowed(methods));
}

/** Prevents shared caching of a response, unless it must not be cached at all, and keeps its URL, which may hold a token, out of the header Referer. */
export function preventCaching(response: ResponseObject): ResponseObject {

    const isUncached = response.headers['cache-control'] === 'no-store';
    return (isUncached ? response : response.header('cache-control', 'private, no-cache')).header('referrer-policy', 'no-referrer');
}

/** A response with one JSON value. */
export function respondJson(h: ResponseToolkit, value: JsonValue, { code = 200, pretty = false }: ResponseFacts = {}): ResponseObject {

    const text = pretty ? writeJson(value, 2) : jsonText(value);
    return h.response(text).code(code).type('application/json');
}

/** A response with one JSON segment. A long text is indented in parts, as the value would be parsed and written at once. */
async function respondSegment(h: ResponseToolkit, segment: JsonSegment, facts: ResponseFacts): Promise<ResponseObject> {

    if (segment.text === undefined) {
        return respondJson(h, segment.value, facts);
    }

    const { code = 200, pretty = false } = facts;
    const response = pretty ? await sendTexts(h, pacedText(indented(segment.text))) : h.response(segment.text).type('application/json');
    return response.code(code);
}

/** A response with bytes; 206 when the request has a Range header and the attributes give the range of the response. */
function respondBytes(request: Request, h: ResponseToolkit, { segment, source }: BytesBody, facts: ResponseFacts): ResponseObject {

    const { attributes = {}, code = 200, disposition, isTrusted = false } = facts;
    const body = h.response(source).code(code);
    const response = withForeignType(body, withCharset(mediaTypeOf(attributes, segment)), { isTrusted });
    response.charset('');                                   // hapi would write it differently
    request.info.acceptEncoding = 'identity';               // No compression by hapi: it drops the length, and ranges would count compressed bytes
    const filename = textOf(attributes['filename']) ?? segment.filename;
    if (filename !== undefined || disposition !== undefined) {
        response.header('content-disposition', formatDisposition(disposition ?? 'inline', filename));
    }

    if (segment.length !== undefined && source instanceof ByteStream) {
        response.bytes(segment.length);
    }

    const range = answeredRange(attributes['range']);
    if (range && code === 200 && request.headers['range'] !== undefined) {
        response.code(206).header('content-range', formatContentRange(range));
    }

    return response;
}

/** Streams bytes; an error before the first ones still gives an error response. The response to HEAD reads none. */
async function beginStream({ method }: Request, { segment, close }: Extract<Output, { kind: 'bytes' }>): Promise<ByteStream> {

    const stream = new ByteStream({ body: segment.body, length: segment.length, close });
    if (method !== 'head') {
        await stream.begin();
    }

    return stream;
}

function mediaTypeOf(attributes: JsonObject, segment: BytesSegment): string {

    const type = textOf(attributes['mediaType']) ?? segment.mediaType;
    return type !== undefined && isMediaType(type) ? type : 'application/octet-stream';
}

/** Adds UTF-8 to text types without a charset, as existing clients expect. */
function withCharset(mediaType: string): string {

    return /^text\//i.test(mediaType) && !/;[ \t]*charset[ \t]*=/i.test(mediaType) ? `${mediaType};charset=utf-8` : mediaType;
}

function textOf(value: JsonValue | undefined): string | undefined {

    return typeof value === 'string' && value !== '' ? value : undefined;
}
