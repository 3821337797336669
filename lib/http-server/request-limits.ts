/**
 * Checks of every request before it is routed. The parser has one limit for the whole head; here URL and headers are limited separately,
 * for both HTTP/1.1 and HTTP/2.
 */

import type { Request } from '@hapi/hapi';
import type { HttpConfig } from '../config/index.js';
import { badRequest } from '../errors/errors.js';

/** Bytes of `: ` and the line break in a header line. */
const LINE_BYTES = 4;

/**
 * Checks the limits of a request.
 *
 * @throws DoipError 400, 414 or 431; formatted by `shapeErrors`
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

/** Size of the headers, which have one byte per character, without the URL. */
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

/** Headers that must not be repeated: a proxy may use the last one where node uses the first. */
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
