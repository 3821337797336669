/**
 * Bodies of routes that take one JSON value, text or bytes, as input of an operation. They are read lazily, when the operation consumes its
 * input, that is, after authorisation.
 */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { JsonValue } from '../../../lib/util/json-types.js';
import type { RouteCall } from '../../http/route.js';
import { badRequest, DoipError } from '../../../lib/errors/errors.js';
import { jsonSegment } from '../../../lib/doip/segments.js';
import { Status } from '../../../lib/errors/status.js';
import { bodyBytes, readJsonBody, readTextBody } from '../../http/request/body.js';
import { contentType } from '../../http/headers/content-type.js';
import { parseDisposition } from '../../http/headers/content-disposition.js';
import { header } from '../../http/headers/decode.js';

/** The body as one JSON segment, whatever its media type; no segment for an empty body. */
export async function *jsonInput({ request, limits }: RouteCall): AsyncGenerator<Segment> {

    const value = await readJsonBody(request, limits);
    if (value !== undefined) {
        yield jsonSegment(value);
    }
}

/** Like {@link jsonInput}; a body of `null` counts as empty. */
export async function *jsonInputUnlessNull(call: RouteCall): AsyncGenerator<Segment> {

    for await (const segment of jsonInput(call)) {
        if (segment.kind !== 'json' || segment.value !== null) {
            yield segment;
        }
    }
}

/** Prefixes the message of an error in the request; other errors are returned unchanged. */
export function prefixed(words: string, error: unknown): unknown {

    const isBadRequest = error instanceof DoipError && error.status === Status.badRequest && error.http === undefined;
    return isBadRequest ? badRequest(`${words}: ${error.message}`, { details: error.details }) : error;
}

/** The body as text, converted to JSON by `wrap`. */
export async function *textInput({ request, limits }: RouteCall, wrap: (text: string) => JsonValue): AsyncGenerator<Segment> {

    yield jsonSegment(wrap(await readTextBody(request, limits)));
}

/** The body as one segment of bytes, streamed; no segment for an empty body. */
export async function *bytesInput({ request, limits }: RouteCall, mediaType = header(request.headers, 'content-type')): AsyncGenerator<Segment> {

    const body = bodyBytes(request);
    const first = await body.next();
    if (first.done === true) {
        return;
    }

    const { filename } = parseDisposition(header(request.headers, 'content-disposition') ?? '');
    yield {
        kind: 'bytes',
        body: prepended(first.value, body),
        limits,
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(filename === undefined || filename === '' ? {} : { filename })
    };
}

/** True when the media type is newline-delimited JSON. */
export function hasLines({ request }: RouteCall): boolean {

    return /^application\/(x-)?ndjson$/.test(contentType(request.headers).essence);
}

async function *prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

    yield first;
    yield *rest;
}

/** Returns the object id in the path. Throws 400 without one; `hint` names an alternative in the message. */
export function requireId({ name, request }: RouteCall, hint = ''): string {

    if (name === '') {
        throw badRequest(`Missing object id in ${request.method.toUpperCase()}: it follows in the path${hint}`);
    }

    return name;
}
