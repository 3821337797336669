/** `/auth`: OAuth-style access tokens (interface specification, "Authentication"), and API keys. */

import type { Segment } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Params } from '../http/request/params.js';
import type { RouteCall, Route } from '../http/route.js';
import { omitUndefined } from '../http/request/params.js';
import { badRequest, DoipError } from '../../lib/errors/errors.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonSegment } from '../../lib/doip/segments.js';
import { isForm } from '../http/request/body.js';
import { loginLimits } from '../http/request/request-limits.js';
import { outputReply } from '../http/response/reply.js';
import { jsonInput } from './mapping/json-input.js';

/** Keeps tokens out of every HTTP cache. */
const UNCACHED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Members of the request that a form may carry as fields. */
const FIELDS = ['grant_type', 'username', 'password', 'assertion', 'token'];

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
    }
];

function tokenRoute(path: string, operationId: string): Route {

    return {
        methods: ['POST'],
        path,
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
        yield *jsonInput({ ...call, limits: loginLimits(call.limits) });
    }
    catch (error) {
        throw error instanceof DoipError ? badRequest(error.message, {
            details: { error: 'invalid_request', error_description: error.message },
            ...(error.http === undefined ? {} : { http: error.http })
        }) : error;
    }
}
