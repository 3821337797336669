/** Detects whether the client causes the stall of a request. */

import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** Message of the 408 response for a request body that stopped arriving. */
export const STARVED_MESSAGE = 'the request body stopped arriving';

/** True when a body is expected and the client has not filled the receive buffer. */
export function isStarved(request: IncomingMessage | Http2ServerRequest): boolean {

    return !request.complete && request.readableLength < request.readableHighWaterMark;
}
