/** Errors as HTTP responses. Every error body is JSON with at least `message`. The only module that uses Boom, hapi's error type. */

import type Boom from '@hapi/boom';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { DoipResponse } from '../../../lib/doip/envelope.js';
import { badRequest, DoipError, internal } from '../../../lib/errors/errors.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { Status } from '../../../lib/errors/status.js';
import type { StatusTable } from '../../../lib/errors/status.js';
import { allowed } from '../request/methods.js';
import { closeOutput, readOutput } from './output.js';
import { respondJson } from './send.js';

/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** An error as an HTTP response. */
export interface Failure {
    readonly code: number;
    /** At least `message`. */
    readonly body: JsonObject;
    readonly headers: Headers;
    /** DOIP status and attributes, for translators that show them. */
    readonly status: string;
    readonly attributes: JsonObject;
}

/** True for every response except success; see {@link failureOf}. */
export function isFailure(response: DoipResponse): boolean {

    return response.status !== Status.ok;
}

/** True for an error whose output reports what was done before it occurred; such an output is sent unchanged. */
export function hasReport({ attributes }: DoipResponse): boolean {

    return attributes['report'] === true;
}

/** Sends the report of an error with its status and headers. */
export function withReport(sent: ResponseObject, response: DoipResponse, statuses: StatusTable): ResponseObject {

    const code = codeOf(response, statuses);
    for (const [name, value] of Object.entries(headersOf(code, response.attributes))) {
        sent.header(name, value);
    }

    return sent.code(code);
}

/** HTTP status of a response. */
export function codeOf({ http, status }: DoipResponse, statuses: StatusTable): number {

    return http ?? statuses.info(status).http;
}

/** Converts an error response of the gateway. Consumes its output. */
export async function failureOf(response: DoipResponse, statuses: StatusTable): Promise<Failure> {

    const output = await readOutput(response);
    await closeOutput(output);
    const { message } = response.attributes;
    const fallback = { message: typeof message === 'string' ? message : statuses.info(response.status).reason };
    const body = output.kind === 'json' && isJsonObject(output.value) ? { ...fallback, ...output.value } : fallback;
    return failure(response.status, response.http, body, response.attributes, statuses);
}

/** Converts an error thrown while a request was translated. Anything but a DoipError becomes a 500 without details. */
export function failureFrom(error: unknown, statuses: StatusTable): Failure {

    const { status, http, message, details, attributes } = error instanceof DoipError ? error : internal(error);
    return failure(status, http, { message, ...details }, { message, ...attributes }, statuses);
}

/** The 405 failure for an unsupported method of a path. */
export function methodNotAllowed(request: Request, methods: readonly string[], statuses: StatusTable): Failure {

    const allow = allowed(methods);
    const error = badRequest(`${request.method.toUpperCase()} is not allowed here: use ${methods.join(' or ')}`, { http: 405 });
    return { ...failureFrom(error, statuses), headers: { allow } };
}

/** Sends a failure as an ordinary response: a Boom object would cost more than the rest of an early rejection. */
export function respondFailure(h: ResponseToolkit, { code, body, headers }: Failure): ResponseObject {

    const response = respondJson(h, body, { code });
    for (const [name, value] of Object.entries(headers)) {
        response.header(name, value);
    }

    return response;
}

/**
 * Converts hapi's own errors (unknown path, body too large, error in a handler) to the format of this service. For
 * `server.ext('onPreResponse', …)`; leaves other responses unchanged.
 *
 * @param moreHeaders headers that a translator adds to every error
 */
export function shapeErrors(statuses: StatusTable, moreHeaders: (failure: Failure) => Headers = () => ({})): Lifecycle.Method {

    return (request, h) => {

        const response = request.response;
        if (!('isBoom' in response) || !('statusCode' in response.output.payload)) {
            return h.continue;                              // Not an error, or already converted
        }

        const shaped = response instanceof DoipError ? failureFrom(response, statuses) : ofHapi(response, request, statuses);
        Object.assign(response.output, {
            statusCode: shaped.code, payload: shaped.body, headers: { ...response.output.headers, ...shaped.headers, ...moreHeaders(shaped) }
        });
        return h.continue;
    };
}

/** Converts a Boom error of hapi. */
function ofHapi(boom: Boom.Boom, request: Request, statuses: StatusTable): Failure {

    const code = boom.output.statusCode;
    const status = STATUS_OF_CODE.get(code) ?? (code >= 500 ? Status.internal : Status.badRequest);
    return failure(status, code, { message: messageOf(boom, request) }, {}, statuses);
}

/** A path that does not exist. */
export function nothingAt(request: Request, statuses: StatusTable): Failure {

    return failure(Status.notFound, 404, { message: nothingText(request) }, {}, statuses);
}

function nothingText({ path }: Request): string {

    return `there is nothing at ${path}`;
}

/** Path of hapi's route for unknown paths. */
const UNROUTED = '/{p*}';

const STATUS_OF_CODE: ReadonlyMap<number, string> = new Map([
    [401, Status.unauthenticated], [403, Status.forbidden], [404, Status.notFound], [409, Status.conflict]
]);

function messageOf(boom: Boom.Boom, request: Request): string {

    if (boom.output.statusCode === 500) {
        return internal(boom).message;
    }

    if (boom.output.statusCode === 404 && request.route.path === UNROUTED) {
        return nothingText(request);
    }

    // The router gives no message for a path that it cannot decode.
    if (boom.output.statusCode === 400 && boom.message === boom.output.payload.error && request.route.path === UNROUTED) {
        return 'the path is not percent-encoded UTF-8';
    }

    return boom.message || boom.output.payload.error;
}

function failure(
    status: string, http: number | undefined, body: JsonObject, attributes: JsonObject, statuses: StatusTable
): Failure {

    const code = http ?? statuses.info(status).http;
    return { code, body, headers: headersOf(code, attributes), status, attributes };
}

function headersOf(code: number, { error, retryAfter, size }: JsonObject): Headers {

    switch (code) {
        case 401:
            return { 'www-authenticate': `Bearer realm="cordra"${error === 'invalid_token' ? ', error="invalid_token"' : ''}` };
        case 416:
            return typeof size === 'number' ? { 'content-range': `bytes */${size}` } : {};
        case 429:
        case 503:
            return typeof retryAfter === 'number' ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
        default:
            return {};
    }
}
