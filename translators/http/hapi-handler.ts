/**
 * What every route handler over HTTP does around its own work: faults become answers, and a body that nobody read to its end is
 * taken off the line, so that the client gets to read the answer.
 */

import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Readable } from 'node:stream';
import { Stream, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DoipError } from '../../lib/errors/errors.js';
import type { StatusTable } from '../../lib/errors/status.js';
import { STREAMED } from './request/body.js';
import type { Failure } from './response/errors.js';
import { ByteStream } from './response/byte-stream.js';
import { failureFrom, respondFailure } from './response/errors.js';

/** hapi's options for every route. Who may is for the gateway to say; cookies of others are none of our business. */
export const ROUTE_OPTIONS = {
    auth: false,
    state: { parse: false, failAction: 'ignore' },
    response: { ranges: false }                             // hapi would read all bytes and throw most of them away
} as const;

/** hapi's options for routes that take a body. */
export const BODY_OPTIONS = {
    ...ROUTE_OPTIONS,
    payload: STREAMED,
    ext: { onPostAuth: { method: surviveError } }
} as const;

/**
 * A decompressor may fail before anybody reads it, while a login is being checked, or where nobody wants the body: without a
 * listener that would end the process. Whoever reads it afterwards is told all the same.
 */
function surviveError({ payload }: Request, h: ResponseToolkit): symbol {

    if (payload instanceof Stream) {
        payload.on('error', () => {});
    }

    return h.continue;
}

/** Translates one request and answers it; throws a DoipError for what cannot be translated. */
export type Answer = (request: Request, h: ResponseToolkit) => Promise<ResponseObject>;

/** A hapi handler around `answer`. */
export function answering(statuses: StatusTable, answer: Answer): Lifecycle.Method {

    return async (request, h) => {

        const response = await answer(request, h).catch((error: unknown) => respondFailure(h, explain(request, error, statuses)));
        if ('source' in response && response.source instanceof ByteStream) {
            response.source.beforeEnd = () => discardBody(request);     // The bytes may still be made of the body
        }
        else {
            await discardBody(request);
        }

        return response;
    };
}

/** What was thrown while a request was translated, as a failure; a fault of ours goes into the log of the server. */
export function explain(request: Request, thrown: unknown, statuses: StatusTable): Failure {

    if (!(thrown instanceof DoipError)) {
        request.log(['error', 'translator'], thrown as Error);
    }

    return failureFrom(thrown, statuses);
}

const DISCARD_BYTES = 64 * 1024 * 1024;
const DISCARD_MS = 5000;

/**
 * Reads what is left of a request body, within limits. Beyond them the connection closes after the answer, and the client may
 * see a broken connection instead of the answer.
 */
export async function discardBody(request: Request): Promise<void> {

    const source: Readable & { readonly complete?: boolean } = request.raw.req;
    if (source.complete !== false || source.destroyed || source.readableEnded) {
        return;
    }

    const over = new AbortController();
    let bytes = 0;
    const count = (chunk: Uint8Array): void => {

        bytes += chunk.byteLength;
        if (bytes > DISCARD_BYTES) {
            over.abort();
        }
    };

    const finish = (): void => over.abort();
    // Whoever reads and did not say that it is no longer interested would keep the body from flowing.
    source.unpipe().removeAllListeners('readable');
    if (request.payload instanceof Transform) {
        request.payload.destroy();                          // The decompressor; nobody feeds it any more
    }

    source.once('end', finish).once('close', finish).once('error', finish);
    source.on('data', count).resume();
    await delay(DISCARD_MS, undefined, { signal: over.signal }).catch(() => undefined);  // Over early is the good case
    source.off('data', count).off('end', finish).off('close', finish).off('error', finish);
}
