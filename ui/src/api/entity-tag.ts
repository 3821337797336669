/** Entity tags of responses (RFC 9110, section 8.8.3), compared as versions of an object. */

/** What the service and proxies add to a tag where a body is compressed. */
const MARKS = /^W\/|-(?:gzip|deflate|br|zstd)(?="$)/g;

/** Returns whether tags are of the same version, however its responses were sent; null is the tag of a response without one. */
export function isSameVersion(one: string | null, other: string | null): boolean {

    return bare(one) === bare(other);
}

function bare(tag: string | null): string | null {

    return tag?.replace(MARKS, '') ?? null;
}
