/** Entity tags of responses (RFC 9110, section 8.8.3): the versions of objects, as If-Match names them. */

import { isNumber } from '../json/exact-number.js';

/** What the service and proxies add to a tag where a body is compressed. */
const MARKS = /^W\/|-(?:gzip|deflate|br|zstd)(?="$)/g;

/** The tag of the version with a transaction number; null without one. Responses that are made by type code have the number alone. */
export function tagOf(txnId: unknown): string | null {

    return isNumber(txnId) ? `"${String(txnId)}"` : null;
}

/** Returns whether tags are of the same version, however its responses were sent; null is the tag of a response without one. */
export function isSameVersion(one: string | null, other: string | null): boolean {

    return bare(one) === bare(other);
}

function bare(tag: string | null): string | null {

    return tag?.replace(MARKS, '') ?? null;
}
