/** The two cookies of a session: its id (`HttpOnly`), and the CSRF token, which the client sends back in a header. */

import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { CSRF_COOKIE, SESSION_COOKIE } from '../http/headers/session-cookie.js';

/** Attributes of a cookie. */
interface CookieOptions {
    readonly path: string;
    readonly httpOnly: boolean;
    readonly secure: boolean;
}

/**
 * Returns the `Set-Cookie` headers for the response of a session operation. Its attributes hold `session: {sessionId, csrfToken}` while
 * there is a session; without one both cookies are cleared. The attribute `cookies: {jsessionid, csrfToken}` overrides `path`, `httpOnly`
 * and `secure` of each.
 *
 * @param isSecure true to set the cookies `Secure`
 */
export function sessionCookies({ session, cookies }: JsonObject, isSecure: boolean): string[] {

    const { sessionId, csrfToken } = isJsonObject(session) ? session : {};
    const options = isJsonObject(cookies) ? cookies : {};
    return [
        cookie(SESSION_COOKIE, sessionId, cookieOptions(options['jsessionid'], { path: '/', httpOnly: true, secure: isSecure })),
        cookie(CSRF_COOKIE, csrfToken, cookieOptions(options['csrfToken'], { path: '/', httpOnly: false, secure: isSecure }))
    ];
}

function cookie(name: string, value: JsonValue | undefined, { path, httpOnly, secure }: CookieOptions): string {

    const isSet = typeof value === 'string';
    return [
        `${name}=${isSet ? value : ''}`,
        `Path=${path}`,
        ...(isSet ? [] : ['Max-Age=0']),
        ...(httpOnly ? ['HttpOnly'] : []),
        ...(secure ? ['Secure'] : []),
        'SameSite=Lax'
    ].join('; ');
}

/** Cookie attributes with the overrides of the design; invalid ones are ignored. */
function cookieOptions(override: JsonValue | undefined, ordinary: CookieOptions): CookieOptions {

    const { path, httpOnly, secure } = isJsonObject(override) ? override : {};
    return {
        path: typeof path === 'string' && /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path) ? path : ordinary.path,
        httpOnly: typeof httpOnly === 'boolean' ? httpOnly : ordinary.httpOnly,
        secure: typeof secure === 'boolean' ? secure : ordinary.secure
    };
}
