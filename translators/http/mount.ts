/**
 * Puts routes on a hapi server, and does for each request what is the same for all routes: parameters and credentials
 * in, the request context into the attributes, answers and errors out.
 */

import type { Request, ResponseObject, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/doip/json.js';
import type { HttpLimits, Performer, TranslatorOptions } from './performer.js';
import type { TransportReader } from './transport.js';
import type { Reply } from './reply.js';
import type { Exchange, RouteCall, Route } from './route.js';
import { badRequest } from '../../lib/doip/error.js';
import { empty } from '../../lib/doip/segments.js';
import { readAuthentication } from './authentication.js';
import { isForm, readForm, STREAMED } from './body.js';
import { failureFrom, failureOf, isFailure, respondFailure, shapeErrors } from './errors.js';
import { answering } from './handler.js';
import { decodeHeader } from './headers.js';
import { DEFAULT_BASES, DEFAULT_LIMITS } from './performer.js';
import { parseParameters } from './query.js';
import { readSession } from './session-cookie.js';
import { createTransportReader, lazyPeerSignal } from './transport.js';
import { outputReply } from './reply.js';
import { Params } from './params.js';
import { send } from './send.js';

/** What reading a request depends on besides the request. */
interface Setting {
    readonly gateway: Performer;
    readonly limits: HttpLimits;
    readonly transport: TransportReader;
}

/** hapi's options for every route. Who may is for the gateway to say; cookies of others are none of our business. */
const COMMON = {
    auth: false,
    state: { parse: false, failAction: 'ignore' },
    response: { ranges: false }                             // hapi would read all bytes and throw most of them away
} as const;

/** Registers routes behind every base, those without a name in their path with and without a trailing slash. */
export function mount(server: Server, routes: readonly Route[], options: TranslatorOptions): void {

    const { gateway, limits, trustedProxies, bases = DEFAULT_BASES } = options;
    const setting = { gateway, limits: { ...DEFAULT_LIMITS, ...limits }, transport: createTransportReader(trustedProxies) };
    server.ext('onPreResponse', shapeErrors(gateway.statuses), { sandbox: 'plugin' });
    for (const base of bases) {
        for (const route of routes) {
            server.route(spellings(base + route.path).flatMap((path) => route.methods.map((method): ServerRoute => ({
                method, path,
                handler: answering(gateway.statuses, (request, h) => handle(request, h, { route, base, setting })),
                options: { ...COMMON, ...(method === 'GET' ? {} : { payload: STREAMED }) }
            }))));
        }

        server.route(allowedMethods(routes).flatMap(([path, methods]) => spellings(base + path).map((spelling): ServerRoute => ({
            method: '*',
            path: spelling,
            handler: answering(gateway.statuses, (request, h) => Promise.resolve(refuse(request, h, gateway, methods))),
            options: { ...COMMON, payload: STREAMED }
        }))));
    }
}

/** A path with and without a trailing slash; a name at its end takes both as they are. */
function spellings(path: string): string[] {

    return path.endsWith('}') ? [path] : [path, `${path}/`];
}

function allowedMethods(routes: readonly Route[]): [string, string[]][] {

    const methods = new Map<string, string[]>();
    for (const route of routes) {
        methods.set(route.path, [...(methods.get(route.path) ?? []), ...route.methods]);
    }

    return [...methods];
}

/** The answer to methods that a path does not know. */
function refuse(request: Request, h: ResponseToolkit, { statuses }: Performer, methods: readonly string[]): ResponseObject | Error {

    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const message = `${request.method.toUpperCase()} is not allowed here: use ${methods.join(' or ')}`;
    return respondFailure(h, { ...failureFrom(badRequest(message, { http: 405 }), statuses), headers: { allow: allowed.join(', ') } });
}

async function handle(
    request: Request, h: ResponseToolkit, { route, base, setting }: { route: Route; base: string; setting: Setting }
): Promise<ResponseObject | Error> {

    const { gateway, limits } = setting;
    const transport = setting.transport(request);
    const params = await readParams(request, limits);
    const { authentication, isPrivate } = readCredentials(request, params);
    const requestContext = params.requestContext();
    const call: RouteCall = {
        request, params, transport, limits,
        name: nameOf(request),
        base: (request.route.realm.modifiers.route.prefix ?? '') + base
    };
    const exchange = await route.toEnvelope(call);
    const response = await gateway.perform(envelope(exchange, {
        authentication, transport, signal: lazyPeerSignal(request), requestContext
    }));
    if (isFailure(response)) {
        return respondFailure(h, await failureOf(response, gateway.statuses));
    }

    const answered = await send(request, h, await replyOf(exchange, response), response);
    return isPrivate ? answered.header('cache-control', 'private, no-cache') : answered;
}

function replyOf(exchange: Exchange, response: DoipResponse): Reply | Promise<Reply> {

    return exchange.fromEnvelope ? exchange.fromEnvelope(response) : outputReply();
}

function envelope(
    exchange: Exchange, facts: Pick<DoipRequest, 'authentication' | 'transport'> & {
        readonly requestContext: JsonObject; readonly signal: () => AbortSignal;
    }
): DoipRequest {

    const { requestContext, signal, authentication, transport } = facts;
    return {
        requestId: null,
        clientId: null,
        operationId: exchange.operationId,
        targetId: exchange.targetId ?? 'service',
        attributes: { ...requestContext, ...exchange.attributes },
        input: exchange.input ?? empty(),
        ...(exchange.safe === undefined ? {} : { safe: exchange.safe }),
        authentication,
        transport,
        get signal() {

            return signal();
        }
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
