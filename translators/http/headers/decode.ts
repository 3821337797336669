/** Decoding of request headers. */

import { decodeHeader } from '../../../lib/util/text/header-text.js';

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
