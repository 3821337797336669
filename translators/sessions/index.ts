/**
 * Legacy cookie sessions as a hapi plugin: `/sessions` (interface specification, "Legacy sessions"). Only paths and cookies; the operations
 * decide whether sessions are accepted.
 */

import type { Plugin } from '@hapi/hapi';
import type { Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TranslatorOptions } from '../http/request/translator-options.js';
import type { Reply } from '../http/response/reply.js';
import type { OperationCall, Route, RouteCall } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { mount } from '../http/route-handler.js';
import { outputReply } from '../http/response/reply.js';
import { sessionCookies } from './cookies.js';

/** All routes of sessions. */
export const sessionRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/sessions/{name*}',
        toEnvelope: (call) => onNamed(call, Op.sessionsGet)
    },
    {
        methods: ['POST'],
        path: '/sessions',
        // With a token of its form, a page of another site could log its visitor in as somebody else.
        needsHeader: true,
        toEnvelope: ({ params, transport }) => ({
            operationId: Op.sessionsCreate,
            attributes: { full: params.flag('full') },
            fromEnvelope: ({ attributes }) => cookieReply(attributes, transport)
        })
    },
    {
        methods: ['DELETE'],
        path: '/sessions/{name*}',
        toEnvelope: (call) => ({
            ...onNamed(call, Op.sessionsDelete),
            fromEnvelope: ({ attributes }) => cookieReply(attributes, call.transport)
        })
    }
];

/** Mounts the session paths, below the additional bases too. */
export const sessions: Plugin<TranslatorOptions> = {
    name: 'doip-gateway-sessions',

    register(server, options) {

        mount(server, sessionRoutes, options);
    }
};

/** Addresses a session by name; the operation decides which sessions may be addressed. */
function onNamed({ name, params }: RouteCall, operationId: string): OperationCall {

    return { operationId, attributes: { full: params.flag('full'), session: name.replace(/\/$/, '') } };
}

function cookieReply(attributes: JsonObject, { protocol }: Transport): Reply {

    return outputReply({ 'Cache-Control': 'no-store', 'Set-Cookie': sessionCookies(attributes, protocol === 'https') });
}
