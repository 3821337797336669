/** A GET whose response is not decoded, and whose path is sent as it is. */

import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';

/** A response with all of its bytes. */
export interface RawResponse {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
}

/** Sends a GET to a port of this machine. */
export async function rawGet(port: number, path: string, headers: OutgoingHttpHeaders): Promise<RawResponse> {

    const [response] = await once(get({ port, path, headers }), 'response') as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
