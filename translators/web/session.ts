/**
 * `/session`: logins of pages of this service. The browser keeps the access token in a cookie that scripts cannot read. Nothing else of the service
 * depends on it: a login creates a token as `/auth/token` does, and a logout revokes it.
 */

import type { Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { OperationCall, Route, RouteCall } from '../http/route.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonSegment, readJson } from '../../lib/doip/segments.js';
import { forbidden } from '../../lib/errors/errors.js';
import { readJsonBody } from '../http/request/body.js';
import { isSameOrigin, REQUESTED_WITH, sessionCookie, sessionToken } from '../http/request/browser-session.js';
import { loginLimits } from '../http/request/request-limits.js';
import { jsonReply, outputReply } from '../http/response/reply.js';

const UNCACHED = { 'Cache-Control': 'no-store' };

/** Grant types by the member that only they have. */
const GRANT_TYPES: readonly (readonly [member: string, grantType: string])[] = [
    ['assertion', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    ['code', 'authorization_code']
];

/** Routes of browser sessions. */
export const sessionRoutes: readonly Route[] = [
    { methods: ['GET'], path: '/session', toEnvelope: describe },
    { methods: ['POST'], path: '/session', toEnvelope: begin },
    { methods: ['DELETE'], path: '/session', toEnvelope: end }
];

/** A session whose token has ended is no error: the cookie is removed. */
function describe(call: RouteCall): OperationCall {

    const token = sessionToken(call.request, call);
    if (token === undefined) {
        return { operationId: Op.checkCredentials, attributes: { full: true }, fromEnvelope: () => outputReply(UNCACHED) };
    }

    return {
        operationId: Op.authIntrospect,
        attributes: { full: true },
        input: inputOf({ token }),
        fromEnvelope: async ({ output }) => {

            const record = await readJson(output);
            const isActive = isJsonObject(record) && record['active'] === true;
            return jsonReply(record, { headers: { ...UNCACHED, ...isActive ? {} : { 'Set-Cookie': [sessionCookie(null, call)] } } });
        }
    };
}

function begin(call: RouteCall): OperationCall {

    demandSameOrigin(call);
    return {
        operationId: Op.authToken,
        attributes: { full: true },
        input: grantOf(call, sessionToken(call.request, call)),
        fromEnvelope: async ({ output }) => {

            const { access_token: token, token_type: _, ...record } = await readJson(output) as JsonObject;
            return jsonReply(record, { headers: { ...UNCACHED, 'Set-Cookie': [sessionCookie(token as string, call)] } });
        }
    };
}

function end(call: RouteCall): OperationCall {

    demandSameOrigin(call);
    return {
        operationId: Op.authRevoke,
        input: inputOf({ token: sessionToken(call.request, call) ?? '' }),
        fromEnvelope: () => outputReply({ ...UNCACHED, 'Set-Cookie': [sessionCookie(null, call)] })
    };
}

/** Another site must not log its visitors in, with an account of its own, or out. @throws DoipError 403 */
function demandSameOrigin({ request }: RouteCall): void {

    if (!isSameOrigin(request)) {
        throw forbidden(`sessions are for pages of this service, whose requests have the header Sec-Fetch-Site: same-origin or X-Requested-With: ${REQUESTED_WITH}`);
    }
}

async function *inputOf(value: JsonObject): AsyncGenerator<Segment> {

    yield jsonSegment(value);
}

/** The token of an earlier login in this browser is of no use any more. */
async function *grantOf({ request, unknownLimits }: RouteCall, replaces: string | undefined): AsyncGenerator<Segment> {

    const body = await readJsonBody(request, loginLimits(unknownLimits()));
    if (body !== undefined) {
        const grant = withGrantType(body);
        yield jsonSegment(replaces !== undefined && isJsonObject(grant) ? { ...grant, replaces } : grant);
    }
}

/** The body with the grant type that its members imply; a password needs none. */
function withGrantType(body: JsonValue): JsonValue {

    const found = isJsonObject(body) && body['grant_type'] === undefined ? GRANT_TYPES.find(([member]) => body[member] !== undefined) : undefined;
    return found && isJsonObject(body) ? { ...body, grant_type: found[1] } : body;
}
