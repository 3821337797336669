/**
 * The id of a request for logs and support: the client's own `Request-Id`, or one made up. Told back in every answer.
 */

import { randomBytes } from 'node:crypto';
import type { Request } from '@hapi/hapi';

const HEADER = 'request-id';
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;
const ID_BYTES = 6;
const POOL_BYTES = 4096;

let pool = Buffer.alloc(0);
let used = 0;

/** A new id of 12 hexadecimal digits. */
export function makeRequestId(): string {

    if (used + ID_BYTES > pool.length) {
        pool = randomBytes(POOL_BYTES);                     // Many ids for one call of the system
        used = 0;
    }

    used += ID_BYTES;
    return pool.toString('hex', used - ID_BYTES, used);
}

/** The id of a request, once {@link assignRequestId} has seen it. */
export function requestIdOf(request: Request): string {

    return request.headers[HEADER] as string;
}

/** Whatever comes later finds an id in the headers of the request, the client's where that is usable. */
export function assignRequestId(request: Request): void {

    const given: unknown = request.headers[HEADER];
    if (typeof given !== 'string' || !ACCEPTABLE.test(given)) {
        request.headers[HEADER] = makeRequestId();
    }
}
