/** Decoding of request headers. Node decodes header bytes as latin1, but most clients send UTF-8. */

import { isUtf8 } from 'node:buffer';

/** Request headers from node and hapi. */
export type RequestHeaders = Readonly<Record<string, unknown>>;

/** Returns a header by its lower-case name, decoded as UTF-8 if its bytes are valid UTF-8; undefined when absent. */
export function header(headers: RequestHeaders, name: string): string | undefined {

    const value = headers[name];
    if (value === undefined) {
        return undefined;
    }

    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' ? decodeHeader(text) : undefined;
}

/** Decodes a header value that node has decoded as latin1. */
export function decodeHeader(latin1: string): string {

    if (!/[\u0080-\u00ff]/.test(latin1)) {
        return latin1;
    }

    const bytes = Buffer.from(latin1, 'latin1');
    return isUtf8(bytes) ? bytes.toString('utf8') : latin1;
}
