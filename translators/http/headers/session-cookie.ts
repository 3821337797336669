/** Legacy cookie session of a request: a session id in a cookie and the CSRF token in a header. The gateway decides whether sessions are accepted. */

import type { JsonObject } from '../../../lib/util/json-types.js';
import type { RequestHeaders } from './decode.js';
import { header } from './decode.js';

export const SESSION_COOKIE = 'JSESSIONID';
export const CSRF_COOKIE = 'Csrf-token';
const CSRF_HEADER = 'x-csrf-token';

/** Maximum length of a cookie value in characters; longer ones are ignored. */
const MAX_LENGTH = 256;

/**
 * Reads the session as authentication: `{}` without the cookie, otherwise `{sessionId}`, with `csrfToken` if it was sent.
 *
 * @param field CSRF token of a form, used without the header
 */
export function readSession(headers: RequestHeaders, field?: string): JsonObject {

    const sessionId = cookie(headers, SESSION_COOKIE);
    if (sessionId === undefined) {
        return {};
    }

    const csrfToken = header(headers, CSRF_HEADER) ?? field;
    return csrfToken === undefined ? { sessionId } : { sessionId, csrfToken };
}

/** Reads the first cookie with a name; undefined if it is too long. Malformed other cookies are ignored. */
export function cookie(headers: RequestHeaders, name: string, maxLength = MAX_LENGTH): string | undefined {

    if (headers['cookie'] === undefined) {
        return undefined;                                   // Most requests
    }

    const { value } = cookies(headers, name).next();
    return value !== undefined && value !== '' && value.length <= maxLength ? value : undefined;
}

/** Yields the values of the cookies with a name. */
export function *cookies(headers: RequestHeaders, name: string): Generator<string, undefined> {

    for (const pair of (header(headers, 'cookie') ?? '').split(';')) {
        const equals = pair.indexOf('=');
        if (equals > 0 && pair.slice(0, equals).trim() === name) {
            yield pair.slice(equals + 1).trim().replace(/^"(.*)"$/, '$1');
        }
    }

    return undefined;
}
