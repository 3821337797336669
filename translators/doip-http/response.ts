/** Converts the response envelope to an HTTP response (specification, "Response mapping"): the header Doip-Response, and the output as body. */

import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import { DESIGN_ID } from '../../lib/doip/ids.js';
import { Op, RETRIEVE_ALIAS } from '../../lib/doip/operation-ids.js';
import { REJECTED } from '../../lib/errors/errors.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { StatusTable } from '../../lib/errors/status.js';
import type { Failure } from '../http/response/errors.js';
import { codeOf, failureFrom, failureOf, hasReport, isFailure, respondFailure, withReport } from '../http/response/errors.js';
import { readOutput } from '../http/response/output.js';
import { withEntityTag } from '../http/headers/entity-tag.js';
import { notModified, otherVersion, respond } from '../http/response/send.js';

export const DOIP_RESPONSE = 'doip-response';

/** Maximum size of the header in bytes, which all clients and proxies accept. */
const MAX_HEADER = 4096;
const MAX_MESSAGE = 1024;

/** Writes the response of a performed request. */
export async function writeResponse(
    request: Request, h: ResponseToolkit, envelope: DoipRequest, response: DoipResponse, statuses: StatusTable
): Promise<ResponseObject> {

    if (isFailure(response) && !hasReport(response)) {
        return writeFailure(h, await failureOf(inDoip(response), statuses), response.requestId);
    }

    const rejection = isFailure(response) ? null : otherVersion(request, response);
    if (rejection) {
        return writeFailure(h, failureFrom(await rejection, statuses), response.requestId);
    }

    const { attributes, entityTag } = response;
    const { disposition, pretty } = envelope.attributes;
    const written = await notModified(request, h, response) ?? await respond(request, h, await readOutput(response), {
        attributes,
        code: codeOf(response, statuses),
        pretty: pretty === true || pretty === '',
        isTrusted: isPageOfDesign(envelope),
        ...(typeof disposition === 'string' && disposition !== '' ? { disposition } : {})
    });
    const described = written.header(DOIP_RESPONSE, doipHeader(response.requestId, response.status, attributes));
    return withEntityTag(request, hasReport(response) ? withReport(described, response, statuses) : described, entityTag);
}

/** True for elements of the design, which only the administrator writes; what methods of the design return is of their callers as well. */
function isPageOfDesign({ operationId, targetId }: DoipRequest): boolean {

    return targetId === DESIGN_ID && (operationId === Op.retrieve || operationId === RETRIEVE_ALIAS);
}

/** A rejection by type code is a bad request in DOIP; its special HTTP status is for REST only. */
function inDoip({ http, ...response }: DoipResponse): DoipResponse {

    return http === undefined || http === REJECTED ? response : { ...response, http };
}

/** Writes an error response, for errors of the operation and of reading the request. */
export function writeFailure(h: ResponseToolkit, failure: Failure, requestId: string | null): ResponseObject {

    const attributes = { message: failure.body['message'] ?? '', ...failure.attributes };
    const headers = { ...failure.headers, [DOIP_RESPONSE]: doipHeader(requestId, failure.status, attributes) };
    return respondFailure(h, { ...failure, headers });
}

/**
 * Value of the header Doip-Response: ASCII JSON, without empty `attributes`. Attributes that would make it too long are reduced to a
 * shortened message.
 */
export function doipHeader(requestId: string | null, status: string, attributes: JsonObject): string {

    const head: JsonObject = requestId === null ? { status } : { requestId, status };
    const whole = Object.keys(attributes).length === 0 ? head : Object.assign({}, head, { attributes });
    const text = toAscii(whole);
    if (text.length <= MAX_HEADER) {
        return text;
    }

    const message = attributes['message'];
    const short = toAscii(typeof message === 'string' ? { ...head, attributes: { message: `${message.slice(0, MAX_MESSAGE / 2)}…` } } : head);
    return short.length <= MAX_HEADER ? short : toAscii({ status });
}

/** JSON with all characters beyond ASCII escaped. */
function toAscii(value: JsonObject): string {

    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
