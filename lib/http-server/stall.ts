/**
 * When a request makes no progress: who is to blame?
 */

import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** What a client is told whose request body stopped arriving. */
export const STARVED_MESSAGE = 'the request body stopped arriving';

/** True while a body is expected and the client has not sent what there is room for. */
export function isStarved(request: IncomingMessage | Http2ServerRequest): boolean {

    return !request.complete && request.readableLength < request.readableHighWaterMark;
}
