/**
 * Responses over HTTP/2, which knows no `connection` header. hapi sets it where the body of a request was not read to its end, and
 * node would drop it with a warning on standard error.
 */

import { Http2ServerResponse } from 'node:http2';
import type { OutgoingHttpHeader } from 'node:http';

/** A response that leaves the header out. */
export class Http2Response extends Http2ServerResponse {

    override setHeader(name: string, value: OutgoingHttpHeader): void {

        if (name.toLowerCase() !== 'connection') {
            super.setHeader(name, value);
        }
    }
}
