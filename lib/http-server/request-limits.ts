/**
 * What a request must keep to before anybody looks at what it wants. The parser knows one limit for everything; here URL and
 * headers are measured each on its own, for HTTP/1.1 and HTTP/2 alike.
 */

import type { Request } from '@hapi/hapi';
import type { HttpConfig } from '../config/index.js';
import { badRequest } from '../errors/errors.js';

/** Separators that belong to a header line, `: ` and the line break. */
const LINE_BYTES = 4;

/**
 * Refuses a request that does not keep to the limits.
 *
 * @throws DoipError 400, 414 or 431; put into words by whoever shapes errors
 */
export function checkRequest({ raw: { req } }: Request, { maxUrlBytes, maxHeaderBytes }: HttpConfig): void {

    if ((req.url ?? '').length > maxUrlBytes) {
        throw badRequest(`the URL is longer than the allowed ${maxUrlBytes} bytes`, { http: 414 });
    }

    if (headerBytes(req.rawHeaders) > maxHeaderBytes) {
        throw badRequest(`the headers are longer than the allowed ${maxHeaderBytes} bytes`, { http: 431 });
    }

    if (req.httpVersion === '1.1' && req.headers.host === undefined) {
        throw badRequest('the header Host is missing');
    }

    const repeated = repeatedSingle(req.rawHeaders);
    if (repeated !== null) {
        throw badRequest(`the header ${repeated} is given more than once`);
    }
}

/** Names and values of HTTP headers have one byte per character here. The URL is counted by itself. */
function headerBytes(rawHeaders: readonly string[]): number {

    let bytes = 0;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
        const name = rawHeaders[i] ?? '';
        if (name !== ':path') {
            bytes += name.length + (rawHeaders[i + 1] ?? '').length + LINE_BYTES;
        }
    }

    return bytes;
}

/** Headers of which a proxy may take the last where node takes the first: two of them could mean two things. */
const SINGLE: ReadonlyMap<number, string> = new Map(['host', 'authorization', 'as-user', 'x-csrf-token'].map((name) => [name.length, name]));

function repeatedSingle(rawHeaders: readonly string[]): string | null {

    let seen = '';
    for (let i = 0; i < rawHeaders.length; i += 2) {
        const written = rawHeaders[i] ?? '';
        const name = SINGLE.get(written.length);
        if (name !== undefined && written.toLowerCase() === name) {
            if (seen.includes(name)) {
                return name;
            }

            seen += name;
        }
    }

    return null;
}
