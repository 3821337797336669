/**
 * Puts REST routes on a hapi server, and does for each request what is the same for all routes: parameters and credentials
 * in, the request context into the attributes, answers and errors out.
 */

import type { Request, ResponseObject, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/doip/json.js';
import type { HttpLimits, Performer } from '../http/performer.js';
import type { TransportReader } from '../http/transport.js';
import type { Answer } from './answer.js';
import type { Exchange, Method, RestCall, RestRoute } from './route.js';
import { empty } from '../../lib/doip/segments.js';
import { readAuthentication } from '../http/authentication.js';
import { isForm, readForm, STREAMED } from '../http/body.js';
import { failureOf, isFailure, respondFailure } from '../http/errors.js';
import { answering } from '../http/handler.js';
import { decodeHeader } from '../http/headers.js';
import { parseParameters } from '../http/query.js';
import { readSession } from '../http/session-cookie.js';
import { peerSignal } from '../http/transport.js';
import { outputAnswer } from './answer.js';
import { Params } from './params.js';
import { send } from './send.js';

/** What the REST interface is built on. */
export interface RestOptions {
    readonly gateway: Performer;
    readonly transport: TransportReader;
    readonly limits: HttpLimits;
    /** Paths under which every route is served, below the prefix of the plugin. */
    readonly aliases: readonly string[];
}

/** Registers routes under every alias, those without a name in their path with and without a trailing slash. */
export function mount(server: Server, routes: readonly RestRoute[], options: RestOptions): void {

    for (const alias of options.aliases) {
        for (const route of routes) {
            const paths = route.path.endsWith('}') ? [route.path] : [route.path, `${route.path}/`];
            server.route(paths.flatMap((path) => route.methods.map((method) => hapiRoute(route, method, alias, path, options))));
        }
    }
}

function hapiRoute(route: RestRoute, method: Method, alias: string, path: string, options: RestOptions): ServerRoute {

    return {
        method,
        path: alias + path,
        handler: answering(options.gateway.statuses, (request, h) => handle(request, h, route, alias, options)),
        options: {
            response: { ranges: false },                    // hapi would read all bytes and throw most of them away
            state: { parse: false, failAction: 'ignore' },  // Cookies of others are none of our business
            ...(method === 'GET' ? {} : { payload: STREAMED })
        }
    };
}

async function handle(
    request: Request, h: ResponseToolkit, route: RestRoute, alias: string, options: RestOptions
): Promise<ResponseObject | Error> {

    const { gateway, limits } = options;
    const params = await readParams(request, limits);
    const { authentication, isPrivate } = readCredentials(request, params);
    const call: RestCall = {
        request, params, limits,
        name: nameOf(request),
        base: (request.route.realm.modifiers.route.prefix ?? '') + alias
    };
    const exchange = await route.toEnvelope(call);
    const response = await gateway.perform(envelope(exchange, {
        authentication, transport: options.transport(request), signal: peerSignal(request), requestContext: params.requestContext()
    }));
    if (isFailure(response)) {
        return respondFailure(h, await failureOf(response, gateway.statuses));
    }

    const answered = await send(request, h, await answerOf(exchange, response), response);
    return isPrivate ? answered.header('cache-control', 'private') : answered;
}

function answerOf(exchange: Exchange, response: DoipResponse): Answer | Promise<Answer> {

    return exchange.fromEnvelope ? exchange.fromEnvelope(response) : outputAnswer();
}

function envelope(
    exchange: Exchange, facts: Pick<DoipRequest, 'authentication' | 'transport' | 'signal'> & { readonly requestContext: JsonObject }
): DoipRequest {

    const { requestContext, ...others } = facts;
    return {
        requestId: null,
        clientId: null,
        operationId: exchange.operationId,
        targetId: exchange.targetId ?? 'service',
        attributes: { ...requestContext, ...exchange.attributes },
        input: exchange.input ?? empty(),
        ...(exchange.safe === undefined ? {} : { safe: exchange.safe }),
        ...others
    };
}

async function readParams(request: Request, limits: HttpLimits): Promise<Params> {

    const url = request.raw.req.url ?? '';
    const mark = url.indexOf('?');
    const query = mark < 0 ? [] : parseParameters(decodeHeader(url.slice(mark + 1)), limits.parameters);
    return Params.fromPairs([...query, ...await readForm(request, limits)]);
}

/** A token may stand among the parameters where there is no body, or where they are the body; such answers are private. */
function readCredentials(request: Request, params: Params): { authentication: JsonObject; isPrivate: boolean } {

    const { headers } = request;
    const hasToken = headers['authorization'] === undefined && (request.method === 'get' || request.method === 'head' || isForm(request));
    const accessToken = hasToken ? params.text('access_token') : undefined;
    const direct = readAuthentication(headers, { accessToken });
    const isDirect = headers['authorization'] !== undefined || accessToken !== undefined;
    return {
        authentication: isDirect ? direct : { ...readSession(headers, params.text('csrfToken')), ...direct },
        isPrivate: accessToken !== undefined
    };
}

/**
 * The object id or type name in the path. hapi has decoded it; only bytes that a client did not percent-encode at all have
 * come through as latin1.
 */
function nameOf(request: Request): string {

    const params = request.params as Readonly<Record<string, string | undefined>>;
    const name = params['name'] ?? '';
    return /[\u0080-\u00ff]/.test(request.raw.req.url ?? '') && /^[\u0000-\u00ff]*$/.test(name) ? decodeHeader(name) : name;
}
