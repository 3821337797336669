/** Text of HTTP headers and URLs. Node decodes their bytes as latin1, but most clients send UTF-8. */

import { isUtf8 } from 'node:buffer';

/** Decodes a text that node has decoded as latin1: as UTF-8 if its bytes are that. */
export function decodeHeader(latin1: string): string {

    if (!/[\u0080-\u00ff]/.test(latin1)) {
        return latin1;
    }

    const bytes = Buffer.from(latin1, 'latin1');
    return isUtf8(bytes) ? bytes.toString('utf8') : latin1;
}
