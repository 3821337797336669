/**
 * Outputs of operations as hapi responses. JSON goes out as one ready string, bytes as a stream with back-pressure.
 */

import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { BytesSegment } from '../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { writeJson } from '../../../lib/json/serializer.js';
import { jsonText } from '../../../lib/json/raw-json.js';
import { ByteStream } from './byte-stream.js';
import { allowed } from '../request/methods.js';
import { isMediaType } from '../headers/content-type.js';
import { formatDisposition } from '../headers/content-disposition.js';
import { writeMultipart } from './multipart-writer.js';
import { closeOutput } from './output.js';
import type { Output } from './output.js';
import { answeredRange, formatContentRange } from '../headers/range.js';
import { withForeignType } from './content-sandbox.js';

/** An output of bytes alone. */
export type BytesOutput = Extract<Output, { kind: 'bytes' }>;

/** What the looks of a response depend on, besides the output. */
export interface ResponseFacts {
    /** Attributes of the DOIP response: `mediaType`, `filename` and `range` count. */
    readonly attributes?: JsonObject;
    /** HTTP code; default 200. */
    readonly code?: number;
    /** Indents JSON by two spaces. */
    readonly pretty?: boolean;
    /** First word of Content-Disposition; default `inline`. */
    readonly disposition?: string;
    /** True for bytes of the administrator, which may hold scripts for pages of the service. */
    readonly isTrusted?: boolean;
}

/** Any output as a response. */
export async function respond(request: Request, h: ResponseToolkit, output: Output, facts: ResponseFacts = {}): Promise<ResponseObject> {

    try {
        switch (output.kind) {
            case 'empty':
                return respondEmpty(h, facts.code);
            case 'json':
                return respondJson(h, output.value, facts);
            case 'bytes':
                return respondBytes(request, h, output, facts);
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

/** A response without body and without Content-Type. */
export function respondEmpty(h: ResponseToolkit, code = 200): ResponseObject {

    return h.response().code(code);                         // Said aloud, or hapi makes it 204
}

/** The answer to OPTIONS. */
export function respondOptions(h: ResponseToolkit, methods: readonly string[]): ResponseObject {

    return h.response().code(204).header('allow', allowed(methods));
}

/** Keeps a response out of shared caches, and the URL that may hold a token from whatever the response leads to. */
export function keepPrivate(response: ResponseObject): ResponseObject {

    return response.header('cache-control', 'private, no-cache').header('referrer-policy', 'no-referrer');
}

/** A response of one JSON value. */
export function respondJson(h: ResponseToolkit, value: JsonValue, { code = 200, pretty = false }: ResponseFacts = {}): ResponseObject {

    const text = pretty ? writeJson(value, 2) : jsonText(value);
    return h.response(text).code(code).type('application/json');
}

/** A response of bytes; 206 when the request has a Range header and the attributes tell the range of the answer. */
export function respondBytes(request: Request, h: ResponseToolkit, output: BytesOutput, facts: ResponseFacts = {}): ResponseObject {

    const { segment } = output;
    const { attributes = {}, code = 200, disposition, isTrusted = false } = facts;
    const body = h.response(output.ready ?? streamOf(output)).code(code);
    const response = withForeignType(body, withCharset(mediaTypeOf(attributes, segment)), { isTrusted });
    response.charset('');                                   // hapi would write it in its own way
    request.info.acceptEncoding = 'identity';               // Else hapi compresses: without a length, and ranges would count other bytes
    const filename = textOf(attributes['filename']) ?? segment.filename;
    if (filename !== undefined || disposition !== undefined) {
        response.header('content-disposition', formatDisposition(disposition ?? 'inline', filename));
    }

    if (segment.length !== undefined && !output.ready) {
        response.bytes(segment.length);
    }

    const range = answeredRange(attributes['range']);
    if (range && code === 200 && request.headers['range'] !== undefined) {
        response.code(206).header('content-range', formatContentRange(range));
    }

    return response;
}

function streamOf({ segment, close }: BytesOutput): ByteStream {

    return new ByteStream({ body: segment.body, length: segment.length, close });
}

function mediaTypeOf(attributes: JsonObject, segment: BytesSegment): string {

    const type = textOf(attributes['mediaType']) ?? segment.mediaType;
    return type !== undefined && isMediaType(type) ? type : 'application/octet-stream';
}

/** Text without a charset is UTF-8, as existing clients expect to be told; of other types nothing is known. */
function withCharset(mediaType: string): string {

    return /^text\//i.test(mediaType) && !/;[ \t]*charset[ \t]*=/i.test(mediaType) ? `${mediaType};charset=utf-8` : mediaType;
}

function textOf(value: JsonValue | undefined): string | undefined {

    return typeof value === 'string' && value !== '' ? value : undefined;
}
