/** Codings of request bodies (RFC 9110, section 8.4.1). Their names may be written in any case, of which hapi knows one. */

import type { Request } from '@hapi/hapi';
import { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { badRequest } from '../../../lib/errors/errors.js';
import type { RequestHeaders } from '../headers/decode.js';

const HEADER = 'content-encoding';
const SUPPORTED: ReadonlySet<unknown> = new Set([undefined, 'identity', 'gzip', 'deflate']);

/** Undoes the coding of a body, unless hapi has done so, and has the header name it in lower case. Others stay as they are. */
export function undoCoding(request: Request): void {

    const { headers, payload } = request;
    const given: unknown = headers[HEADER];
    if (SUPPORTED.has(given) || typeof given !== 'string' || !(payload instanceof Readable)) {
        return;
    }

    const name = given.trim().toLowerCase();
    const coding = name === 'x-gzip' ? 'gzip' : name === '' ? 'identity' : name;
    if (!SUPPORTED.has(coding)) {
        return;
    }

    headers[HEADER] = coding;
    if (coding !== 'identity') {
        Object.assign(request, { payload: payload.pipe(coding === 'gzip' ? createGunzip() : createInflate()) });
    }
}

/** @throws DoipError 415 for a body with a coding that was not undone */
export function demandSupportedCoding(headers: RequestHeaders): void {

    if (!SUPPORTED.has(headers[HEADER])) {
        throw badRequest('the header Content-Encoding must be gzip, deflate or identity', { http: 415 });
    }
}
