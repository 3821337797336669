/**
 * Common part of all HTTP route handlers: converts errors to responses, and discards what remains of the request body, so that the client
 * can read the response.
 */

import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Readable } from 'node:stream';
import { Stream, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DoipError } from '../../lib/errors/errors.js';
import { Status } from '../../lib/errors/status.js';
import { readableError } from '../../lib/util/readable-error.js';
import { STREAMED } from './request/body.js';
import { undoCoding } from './request/content-coding.js';
import type { Performer } from './request/translator-options.js';
import { DISCARD } from './request/translator-options.js';
import type { Failure } from './response/errors.js';
import { ByteStream } from './response/byte-stream.js';
import { type Forward, ForwardRequest, isGone } from './request/primary.js';
import { failureFrom, respondFailure } from './response/errors.js';

/** hapi's options for all routes. The gateway authorises, and cookies are parsed by `session-cookie.ts`. */
export const ROUTE_OPTIONS = {
    auth: false,
    state: { parse: false, failAction: 'ignore' },
    response: { ranges: false }                             // hapi would read all bytes and discard most of them
} as const;

/** hapi's options for routes with a body. */
export const BODY_OPTIONS = {
    ...ROUTE_OPTIONS,
    payload: STREAMED
} as const;

/**
 * Adds an error listener to the decompressor, which may fail before its output is read, for example during a login; without a listener the
 * process would end. A later reader still receives the error.
 */
function surviveError({ payload }: Request): void {

    if (payload instanceof Stream) {
        payload.on('error', () => {});
    }
}

/** Translates one request and responds to it. Throws a DoipError for an invalid request. */
export type Answer = (request: Request, h: ResponseToolkit) => Promise<ResponseObject> | ResponseObject;

/** Wraps `answer` as a hapi handler. In a worker process `forward` takes the requests that are for the primary process. */
export function answering(gateway: Performer, answer: Answer, forward?: Forward): Lifecycle.Method {

    return async (request, h) => {

        // In the turn in which hapi has made the decompressor: it cannot have failed before.
        undoCoding(request);
        surviveError(request);
        if (isGone(request)) {
            return h.abandon;
        }

        let response: ResponseObject;
        try {
            response = await answer(request, h);
        }
        catch (error) {
            if (error instanceof ForwardRequest && forward) {
                forward(request);
                return h.abandon;
            }

            response = respondFailure(h, explain(request, error, gateway));
        }

        if ('source' in response && response.source instanceof ByteStream) {
            response.source.onFailure = (error) => void errorToReport(request, error, gateway);
            response.source.beforeEnd = () => discardBody(request);     // The response may be computed from the request body while it is sent
        }
        else if (!isRead(request.raw.req)) {
            await discardBody(request);
        }

        return response;
    };
}

/** Converts an error in translating a request, or in reading the output, to a failure. */
export function explain(request: Request, thrown: unknown, gateway: Performer): Failure {

    return failureFrom(errorToReport(request, thrown, gateway), gateway.statuses);
}

/**
 * Returns the error to report, which can be read whatever an extension has thrown. The gateway learns of a lost database here, if the output depends on
 * it; the server logs unexpected errors.
 */
function errorToReport(request: Request, thrown: unknown, gateway: Performer): unknown {

    const readable = readableError(thrown);
    const error = gateway.explain?.(readable) ?? readable;
    const cause = !(error instanceof DoipError) ? error : error.status === Status.internal ? error.cause : undefined;
    if (cause !== undefined) {
        request.log(['error', 'translator'], cause as Error);
    }

    return error;
}

/** The body of a request. */
type Body = Readable & { readonly complete?: boolean };

/** True if nothing of a body is left. */
function isRead({ complete, destroyed, readableEnded }: Body): boolean {

    return complete !== false || destroyed || readableEnded;
}

/**
 * Discards the rest of a request body, within limits. Beyond them the connection is closed after the response, and the client may see a
 * connection error instead of it.
 */
export async function discardBody(request: Request): Promise<void> {

    const source: Body = request.raw.req;
    if (isRead(source)) {
        return;
    }

    const over = new AbortController();
    let bytes = 0;
    const count = (chunk: Uint8Array): void => {

        bytes += chunk.byteLength;
        if (bytes > DISCARD.bytes) {
            over.abort();
        }
    };

    const finish = (): void => over.abort();
    // Another consumer would keep the body from flowing.
    source.unpipe().removeAllListeners('readable');
    if (request.payload instanceof Transform) {
        request.payload.destroy();                          // The decompressor, which receives no more input
    }

    source.once('end', finish).once('close', finish).once('error', finish);
    source.on('data', count).resume();
    await delay(DISCARD.ms, undefined, { signal: over.signal }).catch(() => undefined);  // Aborted in the normal case
    source.off('data', count).off('end', finish).off('close', finish).off('error', finish);
}
