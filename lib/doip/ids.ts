/**
 * Ids. An object id is a handle, `prefix/suffix`; only the design object has an id without a slash.
 */

/** The id of the design object. */
export const DESIGN_ID = 'design';

/** The alias that stands for the service's own id in requests. */
export const SERVICE_ALIAS = 'service';

/** Steps of which none begins with a dot, and nothing that would be encoded. */
const PLAIN_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** The id of the service as an object: `prefix/service`. */
export function serviceId(prefix: string): string {

    return `${prefix}/${SERVICE_ALIAS}`;
}

/**
 * An id as part of a path: percent-encoded but for its slashes. Where it holds `.` or `..` between slashes these are encoded,
 * too: whoever reads a URL takes such steps for a way to other paths.
 */
export function idPath(id: string): string {

    // Most ids are a path as they are.
    if (PLAIN_PATH.test(id)) {
        return id;
    }

    const steps = id.split('/');
    return steps.includes('.') || steps.includes('..') ? encodeURIComponent(id) : steps.map(encodeURIComponent).join('/');
}

/**
 * What is wrong with an id for a new object, or null. Rules: contains a slash with something on both sides, does not
 * start with `/` or `.`, no control characters, no lone surrogates, at most `maxBytes` bytes of UTF-8.
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
