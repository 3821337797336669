/**
 * DOIP over HTTP as a hapi plugin: maps HTTP directly to the envelope. GET requests are marked as safe; the gateway decides which
 * operations allow them.
 */

import type { Plugin, Request, ResponseObject, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import { failureFrom, methodNotAllowed, shapeErrors } from '../http/response/errors.js';
import { answering, BODY_OPTIONS, explain } from '../http/hapi-handler.js';
import type { Performer, TranslatorOptions } from '../http/request/translator-options.js';
import { DEFAULT_BASES } from '../http/request/translator-options.js';
import { endedResponse, isEnded, withSession } from '../http/request/browser-session.js';
import { recordPerformed, recordRejection } from '../http/request/request-facts.js';
import { demandPerformed, type Forward, ForwardRequest } from '../http/request/primary.js';
import { withRateLimits } from '../http/headers/rate-limit.js';
import { RequestLimits } from '../http/request/request-limits.js';
import { createTransportReader } from '../http/request/transport.js';
import type { RequestSetting } from './request.js';
import { readRequest } from './request.js';
import { DOIP_RESPONSE, doipHeader, writeFailure, writeResponse } from './response.js';
import { preventCaching, respondOptions } from '../http/response/send.js';

/**
 * Mounts `/doip` and `/doip/{operationId}`, below the additional bases too.
 *
 * @example
 * await server.register({ plugin: doipHttp, options: { gateway } });
 */
export const doipHttp: Plugin<TranslatorOptions> = {
    name: 'doip-gateway-doip-http',
    register(server: Server, options: TranslatorOptions): void {

        const { gateway, limits, trustedProxies, bases = DEFAULT_BASES, hasBrowserSessions = false, forward } = options;
        const setting: RequestSetting = {
            limits: new RequestLimits(server, limits), transport: createTransportReader('doip-http', trustedProxies), hasBrowserSessions,
            inputKind: (operationId, authentication) => gateway.inputKind?.(operationId, authentication)
        };
        server.ext('onPreResponse', shapeErrors(gateway.statuses, ({ status, body }) =>
            ({ [DOIP_RESPONSE]: doipHeader(null, status, { message: body['message'] ?? '' }) })), { sandbox: 'plugin' });
        for (const base of bases) {
            server.route(operationRoute(`${base}/doip/{operationId*}`, { gateway, setting, forward }));
        }
    }
};

const METHODS = ['GET', 'POST'];

/** What the routes share. */
interface Shared {
    readonly gateway: Performer;
    readonly setting: RequestSetting;
    readonly forward: Forward | undefined;
}

function operationRoute(path: string, { gateway, setting, forward }: Shared): ServerRoute {

    const handler = answering(gateway, async (request, h) => {

        switch (request.method) {
            case 'get':
            case 'head':
            case 'post':
                return await perform(request, h, gateway, setting);
            case 'options':
                return respondOptions(h, METHODS);
            default:
                return writeFailure(h, methodNotAllowed(request, METHODS, gateway.statuses), null);
        }
    }, forward);
    return { method: '*', path, handler, options: BODY_OPTIONS };
}

async function perform(request: Request, h: ResponseToolkit, gateway: Performer, setting: RequestSetting): Promise<ResponseObject> {

    const { statuses } = gateway;
    const seen: { requestId: string | null } = { requestId: null };
    try {
        const { envelope, isPrivate, session } = await readRequest(request, setting, seen);
        const rejection = gateway.edge?.rejects(envelope.authentication, envelope.transport);
        if (rejection) {
            recordRejection(request, envelope.transport);
            return writeFailure(h, failureFrom(rejection, statuses), seen.requestId);
        }

        const performed = demandPerformed(await gateway.perform(envelope));
        const isOver = session !== null && isEnded(performed);
        const response = isOver ? endedResponse(performed) : performed;
        recordPerformed(request, envelope, response);
        const answered = withRateLimits(await writeResponse(request, h, envelope, response, statuses), response);
        const described = session === null ? answered : withSession(answered, session, isOver);
        return isPrivate ? preventCaching(described) : described;
    }
    catch (error) {
        if (error instanceof ForwardRequest) {
            throw error;
        }

        return writeFailure(h, explain(request, error, gateway), seen.requestId);
    }
}
