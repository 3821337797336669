/** Request id for logs and support: the client's `Request-Id`, or a generated one. Every response returns it. */

import { randomBytes } from 'node:crypto';
import type { Request } from '@hapi/hapi';

const HEADER = 'request-id';
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;
const ID_BYTES = 6;
const POOL_BYTES = 4096;

let pool = Buffer.alloc(0);
let used = 0;

/** Generates an id of 12 hexadecimal digits. */
export function makeRequestId(): string {

    if (used + ID_BYTES > pool.length) {
        pool = randomBytes(POOL_BYTES);                     // One system call for many ids
        used = 0;
    }

    used += ID_BYTES;
    return pool.toString('hex', used - ID_BYTES, used);
}

/** The id of a request after {@link assignRequestId}. */
export function requestIdOf(request: Request): string {

    return request.headers[HEADER] as string;
}

/** Ensures a valid id in the request headers; generates one if the client's is missing or invalid. */
export function assignRequestId(request: Request): void {

    const requested: unknown = request.headers[HEADER];
    if (typeof requested !== 'string' || !ACCEPTABLE.test(requested)) {
        request.headers[HEADER] = makeRequestId();
    }
}
