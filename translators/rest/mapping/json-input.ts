/**
 * Bodies of the routes that take one JSON value or a piece of text, as input of an operation. They are read when the operation
 * asks for its input, that is, after it has let the caller in.
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

/** The body as one JSON segment, whatever its media type; nothing when it is empty. */
export async function *jsonInput({ request, limits }: RouteCall): AsyncGenerator<Segment> {

    const value = await readJsonBody(request, limits);
    if (value !== undefined) {
        yield jsonSegment(value);
    }
}

/** Like {@link jsonInput}; a body that says `null` counts as empty. */
export async function *jsonInputUnlessNull(call: RouteCall): AsyncGenerator<Segment> {

    for await (const segment of jsonInput(call)) {
        if (segment.kind !== 'json' || segment.value !== null) {
            yield segment;
        }
    }
}

/** A fault of what was sent with words before its message; any other error as it is. */
export function prefixed(words: string, error: unknown): unknown {

    const isFault = error instanceof DoipError && error.status === Status.badRequest && error.http === undefined;
    return isFault ? badRequest(`${words}: ${error.message}`, { details: error.details, cause: error }) : error;
}

/** The body as text, in the form that `wrap` gives it. */
export async function *textInput({ request, limits }: RouteCall, wrap: (text: string) => JsonValue): AsyncGenerator<Segment> {

    yield jsonSegment(wrap(await readTextBody(request, limits)));
}

/** The body as one segment of bytes that flow through; nothing when there are none. */
export async function *bytesInput({ request }: RouteCall, mediaType = header(request.headers, 'content-type')): AsyncGenerator<Segment> {

    const body = bodyBytes(request);
    const first = await body.next();
    if (first.done === true) {
        return;
    }

    const { filename } = parseDisposition(header(request.headers, 'content-disposition') ?? '');
    yield {
        kind: 'bytes',
        body: behind(first.value, body),
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(filename === undefined || filename === '' ? {} : { filename })
    };
}

/** Whether the media type of the body says that it is newline-delimited JSON. */
export function hasLines({ request }: RouteCall): boolean {

    return /^application\/(x-)?ndjson$/.test(contentType(request.headers).essence);
}

async function *behind(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

    yield first;
    yield *rest;
}

/** The object id in the path. 400 when there is none; `hint` is what else the caller may have meant. */
export function requireId({ name, request }: RouteCall, hint = ''): string {

    if (name === '') {
        throw badRequest(`Missing object id in ${request.method.toUpperCase()}: it follows in the path${hint}`);
    }

    return name;
}
