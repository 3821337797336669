/**
 * The session of a browser on pages of this service: a cookie with an access token, which counts as a credential only in requests that are
 * proven to come from a page of the same origin. In any other request the cookie is ignored, as if it were absent.
 *
 * A browser sends cookies with requests that pages of other sites, of sibling domains or of other ports have caused. `SameSite=Strict` excludes
 * other sites only, therefore the proof: the header `Sec-Fetch-Site`, which no page can set; or, for browsers without it, a header that pages of
 * other origins may only send after a preflight, which never allows it together with cookies.
 */

import type { ResponseObject } from '@hapi/hapi';
import type { DoipResponse, Transport } from '../../../lib/doip/envelope.js';
import { json } from '../../../lib/doip/segments.js';
import { Status } from '../../../lib/errors/status.js';
import type { RequestHeaders } from '../headers/decode.js';
import { header } from '../headers/decode.js';
import { cookies } from '../headers/session-cookie.js';

const NAME = 'doip-session';

/** Value of `X-Requested-With` that pages of this service send. */
export const REQUESTED_WITH = 'doip-gateway';

/** An access token of this service: nothing else is accepted from the cookie, such as an API key or a signed assertion. */
const ACCESS_TOKEN = /^[\w-]{32}$/;

/** The header by which a page demands that its request is one of a session: without one it is rejected, instead of being anonymous. */
const DEMAND = 'x-session';

/** A token that is never valid. */
const NO_TOKEN = 'none';

/** Tells a page that its session has ended, from a request for which there never was one. */
const ENDED = 'the session has ended: log in again';

/** A request, as far as it decides about the cookie. */
export interface BrowserRequest {
    readonly method: string;
    readonly headers: RequestHeaders;
}

/** Where a cookie is valid. */
export interface CookieScope {
    readonly transport: Pick<Transport, 'protocol'>;
    /** Prefix of all paths of the service, or empty. */
    readonly prefix: string;
}

/**
 * True for a request that a page of the same origin has made. One that a person has made by the address bar or a bookmark counts as well, if it
 * reads: no page has chosen it, but another program may have.
 */
export function isSameOrigin({ method, headers }: BrowserRequest): boolean {

    const site = header(headers, 'sec-fetch-site');
    if (site === 'same-origin') {
        return true;
    }

    if (site !== undefined && site !== 'none') {
        return false;                                       // Whatever other headers say
    }

    return header(headers, 'x-requested-with') === REQUESTED_WITH || site === 'none' && (method === 'get' || method === 'head');
}

/**
 * The token in the cookie of a request of the same origin; undefined for any other request, and for cookies that contradict each other: one of them may
 * be of another port or a sibling domain, which would have its visitor act with an account of its own. Where the request demands a session and has
 * none, a token that is not valid: such a request changes nothing in the name of nobody, and its page knows that nothing was done.
 */
export function sessionToken(request: BrowserRequest, scope: CookieScope): string | undefined {

    return tokenIn(request, scope) ?? (header(request.headers, DEMAND) === 'required' ? NO_TOKEN : undefined);
}

function tokenIn(request: BrowserRequest, scope: CookieScope): string | undefined {

    if (request.headers['cookie'] === undefined) {
        return undefined;                                   // Most requests
    }

    const [value, ...others] = new Set(cookies(request.headers, nameOf(scope)));
    return value !== undefined && others.length === 0 && ACCESS_TOKEN.test(value) && isSameOrigin(request) ? value : undefined;
}

/** The header `Set-Cookie` that begins a session, or ends it if the token is null. */
export function sessionCookie(token: string | null, scope: CookieScope): string {

    return [
        `${nameOf(scope)}=${token ?? ''}`, `Path=${scope.prefix === '' ? '/' : scope.prefix}`, ...token === null ? ['Max-Age=0'] : [],
        'HttpOnly', ...isEncrypted(scope) ? ['Secure'] : [], 'SameSite=Strict'
    ].join('; ');
}

/** Over TLS the name has a prefix, by which browsers know that no other host and no plain HTTP may set the cookie. */
function nameOf(scope: CookieScope): string {

    return !isEncrypted(scope) ? NAME : scope.prefix === '' ? `__Host-${NAME}` : `__Secure-${NAME}`;
}

function isEncrypted({ transport }: CookieScope): boolean {

    return transport.protocol === 'https';
}

/** True for the response to a request whose token is not valid any more. */
export function isEnded({ status, attributes }: DoipResponse): boolean {

    return status === Status.unauthenticated && attributes['error'] === 'invalid_token';
}

/** The response to a request of a session that has ended, which a page can tell from one that needs a login. */
export function endedResponse(response: DoipResponse): DoipResponse {

    return { ...response, attributes: { ...response.attributes, message: ENDED }, output: json({ message: ENDED, sessionEnded: true }) };
}

/** Adds what the response to a request by cookie needs; `isOver` removes the cookie. */
export function withSession(response: ResponseObject, scope: CookieScope, isOver: boolean): ResponseObject {

    response.vary('cookie');
    return isOver ? response.header('set-cookie', sessionCookie(null, scope), { append: true }) : response;
}
