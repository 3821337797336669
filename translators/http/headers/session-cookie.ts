/**
 * The cookie session of the legacy interface, as far as requests carry it: a session id in one cookie and the CSRF value in a
 * header. Whether the service still accepts sessions is for the gateway to say.
 */

import type { JsonObject } from '../../../lib/util/json-types.js';
import type { RequestHeaders } from './decode.js';
import { header } from './decode.js';

export const SESSION_COOKIE = 'JSESSIONID';
export const CSRF_COOKIE = 'Csrf-token';
export const CSRF_HEADER = 'x-csrf-token';

/** Longest cookie value that is looked at. */
const MAX_LENGTH = 256;

/**
 * The session of a request as authentication: `{}` without the cookie, else `{sessionId}` with `csrfToken` where it was sent.
 *
 * @param field the CSRF value of a form, which counts where there is no header
 */
export function readSession(headers: RequestHeaders, field?: string): JsonObject {

    const sessionId = cookie(headers, SESSION_COOKIE);
    if (sessionId === undefined) {
        return {};
    }

    const csrfToken = header(headers, CSRF_HEADER) ?? field;
    return csrfToken === undefined ? { sessionId } : { sessionId, csrfToken };
}

/** The value of a cookie; of a repeated name the first. Other cookies may be as malformed as they like. */
function cookie(headers: RequestHeaders, name: string): string | undefined {

    for (const pair of (header(headers, 'cookie') ?? '').split(';')) {
        const equals = pair.indexOf('=');
        if (equals > 0 && pair.slice(0, equals).trim() === name) {
            const value = pair.slice(equals + 1).trim().replace(/^"(.*)"$/, '$1');
            return value !== '' && value.length <= MAX_LENGTH ? value : undefined;
        }
    }

    return undefined;
}
