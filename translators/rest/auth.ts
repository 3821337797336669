/** `/auth`: OAuth-style access tokens (interface specification, "Authentication"), API keys, and logins of browsers at login providers. */

import type { Segment, Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Params } from '../http/request/params.js';
import type { OperationCall, RouteCall, Route } from '../http/route.js';
import { omitUndefined } from '../http/request/params.js';
import { badRequest, DoipError, forbidden } from '../../lib/errors/errors.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonSegment } from '../../lib/doip/segments.js';
import { isForm } from '../http/request/body.js';
import { loginLimits } from '../http/request/request-limits.js';
import { header } from '../http/headers/decode.js';
import { cookie } from '../http/headers/session-cookie.js';
import { outputReply, redirectReply, type Reply } from '../http/response/reply.js';
import { jsonInput } from './mapping/json-input.js';

/** Keeps tokens out of every HTTP cache. */
const UNCACHED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Members of the request that a form may carry as fields. */
const FIELDS = ['grant_type', 'username', 'password', 'assertion', 'token', 'code', 'code_verifier'];

/** Parameters that login providers add (OpenID Connect Core 1.0, section 3.1.2.5; RFC 9207). */
const CALLBACK_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description'];

/** Maximum length of the cookie of a login in characters. */
const MAX_COOKIE = 6000;

/** Pages that are only passed through keep their addresses to themselves. */
const PRIVATE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

export const authRoutes: readonly Route[] = [
    tokenRoute('/auth/token', Op.authToken),
    tokenRoute('/auth/introspect', Op.authIntrospect),
    tokenRoute('/auth/revoke', Op.authRevoke),
    {
        methods: ['GET'],
        path: '/auth/keys',
        toEnvelope: ({ params }) => ({
            operationId: Op.keysList,
            attributes: omitUndefined({
                userId: params.text('userId'), all: params.flag('all'), after: params.text('after'), pageSize: params.integer('pageSize')
            })
        })
    },
    {
        methods: ['POST'],
        path: '/auth/keys',
        toEnvelope: (call) => ({
            operationId: Op.keysCreate,
            input: jsonInput({ ...call, limits: loginLimits(call.limits) }),
            fromEnvelope: () => outputReply(UNCACHED)
        })
    },
    {
        methods: ['DELETE'],
        path: '/auth/keys/{name*}',
        toEnvelope: ({ name }) => ({ operationId: Op.keysRevoke, attributes: { keyId: name } })
    },
    { methods: ['GET'], path: '/auth/tokens', toEnvelope: ({ params }) => ({ operationId: Op.tokensList, attributes: ofUser(params) }) },
    {
        methods: ['DELETE'],
        path: '/auth/tokens',
        toEnvelope: ({ params }) => ({ operationId: Op.tokensRevoke, attributes: { ...ofUser(params), all: true } })
    },
    {
        methods: ['DELETE'],
        path: '/auth/tokens/{name*}',
        toEnvelope: ({ name, params }) => ({ operationId: Op.tokensRevoke, attributes: { ...ofUser(params), tokenId: name } })
    },
    {
        methods: ['GET'],
        path: '/auth/login/{name*}',
        toEnvelope: (call) => (call.name === '' ? { operationId: Op.loginProviders } : beginLogin(call))
    },
    {
        methods: ['GET'],
        path: '/auth/callback/{name*}',
        toEnvelope: ({ name, params, request, transport }) => {

            const state = params.text('state') ?? '';
            const given = CALLBACK_PARAMETERS.flatMap((each): [string, string][] => [[each, params.text(each) ?? '']]).filter(([, value]) => value !== '');
            return {
                operationId: Op.loginComplete,
                attributes: { provider: name, query: new URLSearchParams(given).toString(), cookie: cookie(request.headers, cookieName(state), MAX_COOKIE) ?? '' },
                fromEnvelope: ({ attributes }) => redirected(attributes, loginCookie(state, { value: '', maxAge: 0 }, transport))
            };
        }
    }
];

/**
 * A code that the browser brings back is good for the verifier of the page that began the login. A link on another site, or in a mail, must not begin
 * one for a verifier of its author, who then only needs the address to which the browser returns, by a `Referer` or the history.
 */
function beginLogin({ name, params, request, transport }: RouteCall): OperationCall {

    const site = header(request.headers, 'sec-fetch-site');
    if (site !== undefined && site !== 'same-origin') {
        throw forbidden('logins are begun by pages of this service');
    }

    return {
        operationId: Op.loginBegin,
        attributes: omitUndefined({ provider: name, returnTo: params.text('returnTo'), codeChallenge: params.text('codeChallenge') }),
        fromEnvelope: ({ attributes: { state, cookie: value, maxAgeSeconds, ...attributes } }) =>
            redirected(attributes, loginCookie(state as string, { value: value as string, maxAge: Number(maxAgeSeconds) }, transport))
    };
}

function ofUser(params: Params): JsonObject {

    return omitUndefined({ userId: params.text('userId') });
}

function redirected({ location }: JsonObject, cookies: string): Reply {

    const reply = redirectReply(location as string);
    return { ...reply, headers: { ...reply.headers, ...PRIVATE, 'Set-Cookie': cookies } };
}

/** One cookie for each login, so that several can be in progress in one browser. */
function cookieName(state: string): string {

    return `doip_login_${/^[\w-]{16}/.exec(state)?.[0] ?? ''}`;
}

function loginCookie(state: string, { value, maxAge }: { value: string; maxAge: number }, { protocol }: Transport): string {

    return `${cookieName(state)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${protocol === 'https' ? '; Secure' : ''}`;
}

function tokenRoute(path: string, operationId: string): Route {

    return {
        methods: ['POST'],
        path,
        hasShortForm: true,
        toEnvelope: (call) => ({
            operationId,
            attributes: { full: call.params.flag('full') },
            input: isForm(call.request) ? formInput(call.params) : oauthInput(call),
            fromEnvelope: () => outputReply(UNCACHED)
        })
    };
}

async function *formInput(params: Params): AsyncGenerator<Segment> {

    const members: JsonObject = {};
    for (const field of FIELDS) {
        const value = params.text(field);
        if (value !== undefined) {
            members[field] = value;
        }
    }

    yield jsonSegment(members);
}

/** Errors in the body are OAuth errors as well, as clients of token endpoints expect. */
async function *oauthInput(call: RouteCall): AsyncGenerator<Segment> {

    try {
        // Credentials of the request are not verified.
        yield *jsonInput({ ...call, limits: loginLimits(call.unknownLimits()) });
    }
    catch (error) {
        throw error instanceof DoipError ? badRequest(error.message, {
            details: { error: 'invalid_request', error_description: error.message },
            ...(error.http === undefined ? {} : { http: error.http })
        }) : error;
    }
}
