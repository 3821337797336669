/**
 * Request headers as text. Node hands header bytes over as latin1; clients mean UTF-8 more often than not.
 */

import { isUtf8 } from 'node:buffer';

/** Request headers as node and hapi give them. */
export type RequestHeaders = Readonly<Record<string, unknown>>;

/** A header by its lower-case name, read as UTF-8 where its bytes are UTF-8; undefined when absent. */
export function header(headers: RequestHeaders, name: string): string | undefined {

    const value = headers[name];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' ? decodeHeader(text) : undefined;
}

/** Text of header bytes that were read as latin1. */
export function decodeHeader(latin1: string): string {

    if (!/[\u0080-\u00ff]/.test(latin1)) {
        return latin1;
    }

    const bytes = Buffer.from(latin1, 'latin1');
    return isUtf8(bytes) ? bytes.toString('utf8') : latin1;
}
