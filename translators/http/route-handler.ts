/** Mounts routes on a hapi server, and handles what all routes share: parameters and credentials, the request context, responses and errors. */

import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Performer, TranslatorOptions } from './request/translator-options.js';
import type { TransportReader } from './request/transport.js';
import type { OperationCall, RouteCall, Route } from './route.js';
import { empty } from '../../lib/doip/segments.js';
import { Status } from '../../lib/errors/status.js';
import { type Parameter, pathText, queryOf, parseParameters } from './request/url.js';
import { readAuthentication } from './request/authentication.js';
import { type CookieScope, endedResponse, isEnded, sessionToken, withSession } from './request/browser-session.js';
import { isForm, readForm } from './request/body.js';
import { HttpEnvelope } from './request/envelope.js';
import { failureFrom, failureOf, hasReport, isFailure, methodNotAllowed, nothingAt, respondFailure, shapeErrors, withReport } from './response/errors.js';
import { answering, BODY_OPTIONS } from './hapi-handler.js';
import { DEFAULT_BASES } from './request/translator-options.js';
import { type Methods, pathGroups } from './path-table.js';
import { recordPerformed, recordRejection } from './request/request-facts.js';
import { RequestLimits } from './request/request-limits.js';
import { demandPerformed } from './request/primary.js';
import { withEntityTag } from './headers/entity-tag.js';
import { withRateLimits } from './headers/rate-limit.js';
import { readSession } from './headers/session-cookie.js';
import { createTransportReader } from './request/transport.js';
import { outputReply } from './response/reply.js';
import { Params } from './request/params.js';
import { notModified, otherVersion, preventCaching, respondOptions, send } from './response/send.js';

/** Dependencies of reading a request. */
interface Setting {
    readonly gateway: Performer;
    readonly limits: RequestLimits;
    readonly transport: TransportReader;
    readonly hasBrowserSessions: boolean;
}

/**
 * Registers routes below every base; their paths match with and without a trailing slash.
 *
 * @param ownsBases true to take all paths below additional bases that no other route has
 */
export function mount(server: Server, routes: readonly Route[], options: TranslatorOptions, { ownsBases = false } = {}): void {

    const { gateway, limits, trustedProxies, bases = DEFAULT_BASES, errorsAreShaped = false, hasBrowserSessions = false, forward } = options;
    const setting = { gateway, limits: new RequestLimits(server, limits), transport: createTransportReader('rest', trustedProxies), hasBrowserSessions };
    if (!errorsAreShaped) {
        server.ext('onPreResponse', shapeErrors(gateway.statuses), { sandbox: 'plugin' });
    }

    for (const base of bases) {
        for (const { patterns, table } of pathGroups(routes, base, ownsBases && base !== '')) {
            const handler = answering(gateway, (request, h) => {

                const found = table.match(request.path.slice(prefixOf(request).length + base.length));
                return found?.methods ? answer(request, h, { methods: found.methods, name: pathText(request, found.name), base, setting }) :
                    respondFailure(h, nothingAt(request, gateway.statuses));
            }, forward);
            patterns.forEach((path) => server.route({ method: '*', path, handler, options: BODY_OPTIONS }));
        }
    }
}

function prefixOf(request: Request): string {

    return request.route.realm.modifiers.route.prefix ?? '';
}

function answer(
    request: Request, h: ResponseToolkit, { methods, name, base, setting }: { methods: Methods; name: string; base: string; setting: Setting }
): Promise<ResponseObject> | ResponseObject {

    const route = methods.get(request.method === 'head' ? 'get' : request.method);
    if (route) {
        return handle(request, h, { route, name, base, setting });
    }

    const allowed = [...methods.keys()].map((method) => method.toUpperCase());
    return request.method === 'options' ? respondOptions(h, allowed) : respondFailure(h, methodNotAllowed(request, allowed, setting.gateway.statuses));
}

async function handle(
    request: Request, h: ResponseToolkit, { route, name, base, setting }: { route: Route; name: string; base: string; setting: Setting }
): Promise<ResponseObject> {

    const { gateway, limits } = setting;
    const transport = setting.transport(request);
    const scope = { transport, prefix: prefixOf(request) };
    const params = readQuery(request, limits, isForm(request) ? await readForm(request, limits.ofForm(request, transport, route.hasShortForm)) : []);
    const { authentication, isPrivate, isBySession } = route.needsHeader ? readHeader(request) :
        readCredentials(request, params, setting.hasBrowserSessions ? scope : null);
    const rejection = gateway.edge?.rejects(authentication, transport);
    if (rejection) {
        recordRejection(request, transport);
        return respondFailure(h, failureFrom(rejection, gateway.statuses));
    }

    const call: RouteCall = {
        request, params, transport,
        limits: limits.of(request, transport, authentication, gateway.inputKind?.('', authentication)),
        unknownLimits: () => limits.ofUnknown(request, transport),
        name,
        base: scope.prefix + base,
        prefix: scope.prefix
    };
    const operationCall = await route.toEnvelope(call);
    const doipRequest = envelope(request, operationCall, { authentication, transport, shared: sharedAttributes(request, params) });
    const performed = demandPerformed(await gateway.perform(doipRequest));
    const isOver = isBySession && isEnded(performed);
    const response = isOver ? endedResponse(performed) : performed;
    recordPerformed(request, doipRequest, response);
    const answered = withRateLimits(await answerOf(request, h, { operationCall, response, gateway }), response);
    const described = isBySession ? withSession(answered, scope, isOver) : answered;
    return isPrivate ? preventCaching(described) : described;
}

async function answerOf(
    request: Request, h: ResponseToolkit, { operationCall, response, gateway }: { operationCall: OperationCall; response: DoipResponse; gateway: Performer }
): Promise<ResponseObject> {

    const sendReply = async (): Promise<ResponseObject> => {

        const reply = operationCall.fromEnvelope ? await operationCall.fromEnvelope(response) : outputReply();
        return await send(request, h, reply, response);
    };

    if (!isFailure(response)) {
        const { permission } = response.attributes;
        const entityTag = operationCall.isUntagged ? undefined : response.entityTag;
        const tagged = { entityTag, output: response.output };
        const rejection = otherVersion(request, tagged);
        if (rejection) {
            return respondFailure(h, failureFrom(await rejection, gateway.statuses));
        }

        const unmodified = notModified(request, h, tagged);
        const sent = await (unmodified ?? sendReply());
        withEntityTag(request, sent, entityTag);
        return typeof permission === 'string' ? sent.header('X-Permission', permission) : sent;
    }

    if (hasReport(response)) {
        return withReport(await sendReply(), response, gateway.statuses);
    }

    return respondFailure(h, await failureOf(withPathNames(operationCall, response), gateway.statuses));
}

/** Turns a declined operation on the object in the path into a 404: for clients of paths, that resource does not exist. */
function withPathNames({ targetId }: OperationCall, response: DoipResponse): DoipResponse {

    const isDeclined = response.status === Status.declined && response.http === undefined;
    return isDeclined && targetId !== undefined ? { ...response, http: 404 } : response;
}

function envelope(
    request: Request, operationCall: OperationCall, facts: Pick<DoipRequest, 'authentication' | 'transport'> & { readonly shared: JsonObject }
): DoipRequest {

    const { shared, authentication, transport } = facts;
    return new HttpEnvelope(request, {
        requestId: null,
        clientId: null,
        operationId: operationCall.operationId,
        targetId: operationCall.targetId ?? 'service',
        attributes: Object.assign(shared, operationCall.attributes),
        laterAttributes: operationCall.laterAttributes,
        input: operationCall.input ?? empty(),
        authentication, transport,
        safe: isSafe(request),
        allowTypeChange: operationCall.allowTypeChange === true
    });
}

/** Attributes that any request may have. An operation without support for dry runs rejects `dryRun`, instead of storing the input. */
function sharedAttributes(request: Request, params: Params): JsonObject {

    const shared: JsonObject = params.requestContext();
    if (!isSafe(request) && params.strictFlag('dryRun')) {
        shared.dryRun = true;
    }

    return shared;
}

/** True for safe methods. */
function isSafe({ method }: Request): boolean {

    return method === 'get' || method === 'head';
}

/** The parameters of the query string, and the fields of a form after them. */
function readQuery(request: Request, limits: RequestLimits, fields: readonly Parameter[]): Params {

    const query = queryOf(request);
    return query === '' && fields.length === 0 ? Params.NONE : Params.fromPairs([...parseParameters(query, limits.base.parameters), ...fields]);
}

/** Where the credentials of a request are, besides what they are. */
interface Credentials {
    readonly authentication: JsonObject;
    /** True if they are not in the header Authorization. */
    readonly isPrivate: boolean;
    /** True if they are in the cookie of a browser session. */
    readonly isBySession: boolean;
}

/** Reads the credentials in the header Authorization, and no others. */
function readHeader({ headers }: Request): Credentials {

    return { authentication: readAuthentication(headers), isPrivate: false, isBySession: false };
}

/**
 * Reads the credentials. A token may be a parameter of requests without a body, or of a form, or in the cookie of a browser session. Responses to
 * such a token, or to the cookie of a legacy session, are private: shared caches only recognise the Authorization header.
 *
 * @param scope where the cookie of browser sessions is valid; null if there are none
 */
function readCredentials(request: Request, params: Params, scope: CookieScope | null): Credentials {

    const { headers } = request;
    const hasHeader = headers['authorization'] !== undefined;
    const accessToken = !hasHeader && (isSafe(request) || isForm(request)) ? params.text('access_token') : undefined;
    const ofSession = scope === null || hasHeader || accessToken !== undefined ? undefined : sessionToken(request, scope);
    const direct = readAuthentication(headers, { accessToken: accessToken ?? ofSession });
    const isDirect = hasHeader || accessToken !== undefined || ofSession !== undefined;
    const session = isDirect ? {} : readSession(headers, params.text('csrfToken'));
    return {
        authentication: session.sessionId === undefined ? direct : { ...session, ...direct },
        isPrivate: accessToken !== undefined || ofSession !== undefined || session.sessionId !== undefined,
        isBySession: ofSession !== undefined
    };
}
