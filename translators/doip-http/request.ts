/** Converts an HTTP request to the envelope (specification, "Request mapping"), independent of the operation. */

import type { Request } from '@hapi/hapi';
import type { DoipRequest, InputKind, Segment, Transport } from '../../lib/doip/envelope.js';
import { badRequest } from '../../lib/errors/errors.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { jsonSegment } from '../../lib/doip/segments.js';
import { pathParameter, queryOf, parseParameters } from '../http/request/url.js';
import { readAuthentication } from '../http/request/authentication.js';
import { type CookieScope, sessionToken } from '../http/request/browser-session.js';
import { isForm, readForm, readRawSegments, readSegments } from '../http/request/body.js';
import { parseDisposition } from '../http/headers/content-disposition.js';
import type { EnvelopeParameters } from '../http/request/envelope-params.js';
import { readEnvelopeParameters } from '../http/request/envelope-params.js';
import { mergeJson } from '../http/request/json-combination.js';
import { header } from '../http/headers/decode.js';
import { preconditionsOf } from '../http/headers/entity-tag.js';
import type { HttpLimits } from '../http/request/translator-options.js';
import type { RequestLimits } from '../http/request/request-limits.js';
import { rangeAttributes } from '../http/headers/range.js';
import type { TransportReader } from '../http/request/transport.js';
import { HttpEnvelope } from '../http/request/envelope.js';

/** Dependencies of reading a request. */
export interface RequestSetting {
    readonly limits: RequestLimits;
    readonly transport: TransportReader;
    readonly hasBrowserSessions: boolean;
    readonly inputKind: (operationId: string, authentication: JsonObject) => InputKind | undefined;
}

/** The envelope of a request, and what is needed for its response. */
export interface ReadRequest {
    readonly envelope: DoipRequest;
    /** True when the credentials are in a parameter or in a cookie: no shared cache may store the response. */
    readonly isPrivate: boolean;
    /** Where the cookie is valid, if the credentials are those of a browser session; otherwise null. */
    readonly session: CookieScope | null;
}

/**
 * Reads a request.
 *
 * @param seen receives the request id as soon as it is read, for error responses
 * @throws DoipError 400, 401 or 413 when the request is not a valid envelope
 */
export async function readRequest(request: Request, setting: RequestSetting, seen: { requestId: string | null }): Promise<ReadRequest> {

    const transport = setting.transport(request);
    const form = isForm(request) ? await readForm(request, setting.limits.ofForm(request, transport, true)) : [];
    const fields = [...parseParameters(queryOf(request), setting.limits.base.parameters), ...form];
    const tokens = fields.filter(([name]) => name === 'access_token').map(([, value]) => value);
    const parameters = await readEnvelopeParameters(fields.filter(([name]) => name !== 'access_token'));
    seen.requestId = parameters.requestId ?? null;
    const isSafe = request.method === 'get' || request.method === 'head';
    const session = sessionOf(request, { transport, isAccepted: setting.hasBrowserSessions && parameters.authentication === undefined && tokens.length === 0 });
    const authentication = readAuthentication(request.headers, {
        authentication: parameters.authentication, accessToken: session?.token ?? tokens[0]
    });
    const operationId = operationOf(request, parameters);
    const limits = setting.limits.of(request, transport, authentication, setting.inputKind(operationId, authentication));
    const envelope = new HttpEnvelope(request, {
        requestId: seen.requestId,
        clientId: parameters.clientId || null,
        operationId,
        targetId: required(parameters.targetId, 'targetId'),
        authentication,
        attributes: attributesOf(request, parameters.attributes),
        attributeTexts: parameters.texts,
        input: inputOf(request, parameters.input, limits),
        ...(isSafe || parameters.input !== undefined ? {} : { rawInput: readRawSegments(request, limits) }),
        transport,
        httpMethod: isSafe ? 'GET' : 'POST',
        safe: isSafe
    });
    return { envelope, isPrivate: tokens.length > 0 || session !== null || parameters.authentication !== undefined, session };
}

/** The browser session of a request without other credentials; null if there is none. */
function sessionOf(
    request: Request, { transport, isAccepted }: { readonly transport: Transport; readonly isAccepted: boolean }
): CookieScope & { readonly token: string } | null {

    const scope = { transport, prefix: request.route.realm.modifiers.route.prefix ?? '' };
    const token = isAccepted && request.headers['authorization'] === undefined ? sessionToken(request, scope) : undefined;
    return token === undefined ? null : { ...scope, token };
}

/** The operation id in the path or the query; both may give it when they agree. */
function operationOf(request: Request, { operationId }: EnvelopeParameters): string {

    const inPath = pathParameter(request, 'operationId');
    if (inPath !== '' && operationId !== undefined && operationId !== inPath) {
        throw badRequest('operationId is given in the path and as parameter, and they differ');
    }

    return required(inPath || operationId, 'operationId');
}

function required(value: string | undefined, name: string): string {

    if (value === undefined || value === '') {
        throw badRequest(`Missing ${name}`);
    }

    return value;
}

/** Attributes of the request. Headers add some; a parameter takes precedence over a header. */
function attributesOf(request: Request, attributes: JsonObject): JsonObject {

    const mediaType = header(request.headers, 'content-type');
    const disposition = header(request.headers, 'content-disposition');
    const filename = disposition === undefined ? undefined : parseDisposition(disposition).filename;
    const hasRange = request.method === 'get' && attributes['element'] !== undefined;
    return {
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(filename ? { filename } : {}),
        ...(hasRange ? rangeAttributes(request.headers) : {}),
        ...(request.method === 'post' ? preconditionsOf(request.headers) : {}),
        ...attributes
    };
}

/** Returns the body as segments. The parameter `input` is merged into a JSON body, or replaces an absent body. */
function inputOf(request: Request, parameter: JsonValue | undefined, limits: HttpLimits): AsyncIterable<Segment> {

    return parameter === undefined ? readSegments(request, limits) : merged(request, parameter, limits);
}

async function *merged(request: Request, parameter: JsonValue, limits: HttpLimits): AsyncGenerator<Segment> {

    let input = parameter;
    for await (const segment of readSegments(request, limits)) {
        if (segment.kind !== 'json' || input !== parameter) {
            throw badRequest('parameter input can only be combined with a JSON body');
        }

        input = mergeJson(parameter, segment.value, 'input');
    }

    yield jsonSegment(input);
}
