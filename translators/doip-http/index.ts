/**
 * DOIP over HTTP: the identity mapping between HTTP and the envelope, as a hapi plugin. GET is for operations that say so;
 * the gateway knows which, the translator only tells it that the request promises to change nothing.
 */

import type { Plugin, Request, ResponseObject, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import { badRequest } from '../../lib/doip/error.js';
import { STREAMED } from '../http/body.js';
import { failureFrom, shapeErrors } from '../http/errors.js';
import type { Answer } from '../http/handler.js';
import { answering, explain } from '../http/handler.js';
import type { Performer, TranslatorOptions } from '../http/performer.js';
import { DEFAULT_BASES, DEFAULT_LIMITS } from '../http/performer.js';
import { createTransportReader } from '../http/transport.js';
import type { RequestSetting } from './request.js';
import { readRequest } from './request.js';
import { DOIP_RESPONSE, doipHeader, writeFailure, writeResponse } from './response.js';

/**
 * Mounts `/doip` and `/doip/{operationId}`, also behind the other bases.
 *
 * @example
 * await server.register({ plugin: doipHttp, options: { gateway } });
 */
export const doipHttp: Plugin<TranslatorOptions> = {
    name: 'doip-gateway-doip-http',
    register(server: Server, options: TranslatorOptions): void {

        const { gateway, limits, trustedProxies, bases = DEFAULT_BASES } = options;
        const setting = { limits: { ...DEFAULT_LIMITS, ...limits }, transport: createTransportReader(trustedProxies) };
        server.ext('onPreResponse', shapeErrors(gateway.statuses, ({ status, body }) =>
            ({ [DOIP_RESPONSE]: doipHeader(null, status, { message: body['message'] ?? '' }) })), { sandbox: 'plugin' });
        for (const base of bases) {
            server.route(routes(`${base}/doip/{operationId*}`, gateway, setting));
        }
    }
};

function routes(path: string, gateway: Performer, setting: RequestSetting): ServerRoute[] {

    const handler = answering(gateway.statuses, (request, h) => perform(request, h, gateway, setting));
    const refusal = answering(gateway.statuses, refuse(gateway));
    const common = { auth: false, state: { parse: false, failAction: 'ignore' }, response: { ranges: false } } as const;
    return [
        { method: 'GET', path, handler, options: common },
        { method: 'POST', path, handler, options: { ...common, payload: STREAMED } },
        { method: ['PUT', 'PATCH', 'DELETE'], path, handler: refusal, options: { ...common, payload: STREAMED } }
    ];
}

async function perform(request: Request, h: ResponseToolkit, gateway: Performer, setting: RequestSetting): Promise<ResponseObject | Error> {

    const { statuses } = gateway;
    const seen: { requestId: string | null } = { requestId: null };
    try {
        const { envelope, isPrivate } = await readRequest(request, setting, seen);
        const response = await writeResponse(request, h, envelope, await gateway.perform(envelope), statuses);
        return isPrivate && !(response instanceof Error) ? response.header('cache-control', 'private, no-cache') : response;
    }
    catch (error) {
        return writeFailure(h, explain(request, error, statuses), seen.requestId);
    }
}

/** The answer to methods that DOIP over HTTP does not know. */
function refuse({ statuses }: Performer): Answer {

    return (request, h) => {

        const failure = failureFrom(badRequest(`${request.method.toUpperCase()} is not allowed here: use GET or POST`, { http: 405 }), statuses);
        return Promise.resolve(writeFailure(h, { ...failure, headers: { allow: 'GET, HEAD, POST' } }, null));
    };
}
