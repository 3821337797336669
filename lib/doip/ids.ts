/**
 * Ids. An object id is a handle, `prefix/suffix`; only the id of the design object has no slash.
 */

/** Id of the design object. */
export const DESIGN_ID = 'design';

/** Alias for the id of the service in requests. */
export const SERVICE_ALIAS = 'service';

/** Path segments that need no encoding, none of which begins with a dot. */
const PLAIN_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Returns the id of the service as an object: `prefix/service`. */
export function serviceId(prefix: string): string {

    return `${prefix}/${SERVICE_ALIAS}`;
}

/**
 * Returns an id as part of a URL path: percent-encoded except for slashes. With a segment `.` or `..` the slashes are encoded
 * too, since URL parsers would normalise these segments away.
 */
export function idPath(id: string): string {

    // Fast path: most ids need no encoding.
    if (PLAIN_PATH.test(id)) {
        return id;
    }

    const steps = id.split('/');
    return steps.includes('.') || steps.includes('..') ? encodeURIComponent(id) : steps.map(encodeURIComponent).join('/');
}

/**
 * Returns the error in an id for a new object, or null. Rules: a slash with text on both sides, no `/` or `.` at the start, no
 * control characters or unpaired surrogates, at most `maxBytes` bytes of UTF-8.
 */
export function handleError(id: string, maxBytes: number): string | null {

    if (!/^[^/.][^/]*\/./s.test(id)) {
        return `Invalid handle: ${id}`;
    }

    if (/[\u0000-\u001f\u007f]/.test(id) || !id.isWellFormed()) {
        return 'Invalid handle: it contains a control character or an unpaired surrogate';
    }

    if (Buffer.byteLength(id) > maxBytes) {
        return `Invalid handle: it is longer than ${maxBytes} bytes`;
    }

    return null;
}
