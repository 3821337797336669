/**
 * The two cookies of a session: its id, which scripts cannot read, and the CSRF value, which the client sends back in a header.
 */

import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { CSRF_COOKIE, SESSION_COOKIE } from '../http/headers/session-cookie.js';

/** How a cookie is set. */
interface CookieLook {
    readonly path: string;
    readonly httpOnly: boolean;
    readonly secure: boolean;
}

/**
 * The `Set-Cookie` headers for the answer of a session operation. Its attributes hold `session: {sessionId, csrfToken}` when
 * there is a session now; otherwise both cookies are taken back. Their attribute `cookies: {jsessionid, csrfToken}` overrides
 * `path`, `httpOnly` and `secure` of each.
 *
 * @param isSecure true to have the cookies sent over encrypted connections alone
 */
export function sessionCookies({ session, cookies }: JsonObject, isSecure: boolean): string[] {

    const { sessionId, csrfToken } = isJsonObject(session) ? session : {};
    const looks = isJsonObject(cookies) ? cookies : {};
    return [
        cookie(SESSION_COOKIE, sessionId, look(looks['jsessionid'], { path: '/', httpOnly: true, secure: isSecure })),
        cookie(CSRF_COOKIE, csrfToken, look(looks['csrfToken'], { path: '/', httpOnly: false, secure: isSecure }))
    ];
}

function cookie(name: string, value: JsonValue | undefined, { path, httpOnly, secure }: CookieLook): string {

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

/** What the design says of a cookie; what it says wrongly does not count. */
function look(override: JsonValue | undefined, ordinary: CookieLook): CookieLook {

    const { path, httpOnly, secure } = isJsonObject(override) ? override : {};
    return {
        path: typeof path === 'string' && /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path) ? path : ordinary.path,
        httpOnly: typeof httpOnly === 'boolean' ? httpOnly : ordinary.httpOnly,
        secure: typeof secure === 'boolean' ? secure : ordinary.secure
    };
}
