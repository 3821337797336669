/** Responses of the dispatcher, from the result of an operation or an error. */

import type { Logger } from 'pino';
import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import { json } from '../doip/segments.js';
import { DoipError, internal } from '../errors/errors.js';
import type { StatusTable } from '../errors/status.js';
import type { RequestAllowance } from '../identity/throttling/request-limiter.js';
import type { Caller } from '../model/caller.js';
import { requestLog } from './context.js';
import type { OperationResult } from './operation.js';

/** What is known of a request when its response is made. */
export interface RequestFacts {
    /** Null before the caller was authenticated. */
    readonly caller: Caller | null;
    /** Absent without rate limits. */
    readonly allowance?: RequestAllowance;
}

/** A response that is being made. */
type NewResponse = { -readonly [K in keyof DoipResponse]: DoipResponse[K] };

/** Returns the response with the result of an operation. */
export function responseTo({ requestId }: DoipRequest, result: OperationResult, facts: RequestFacts): DoipResponse {

    const { status, attributes, output, callerId = facts.caller?.userId ?? null, entityTag, createdId, http } = result;
    // Member by member: a merged object takes half a microsecond, which is more than all other steps here together.
    const response: NewResponse = { requestId, status, attributes, output, callerId };
    if (entityTag !== undefined) {
        response.entityTag = entityTag;
    }

    if (createdId !== undefined) {
        response.createdId = createdId;
    }

    if (http !== undefined) {
        response.http = http;
    }

    return withLimits(response, facts);
}

/** Returns the response for an error. Details that the caller must not see are only logged. */
export function errorResponse(
    request: DoipRequest, thrown: unknown, facts: RequestFacts, { statuses, log }: { readonly statuses: StatusTable; readonly log: Logger }
): DoipResponse {

    const error = thrown instanceof DoipError ? thrown : internal(thrown);
    if (error.cause !== undefined || !(thrown instanceof DoipError)) {
        requestLog(log, request).error(
            { event: 'operation.failed', err: error.cause ?? thrown, status: error.status, message: error.message }, 'operation failed'
        );
    }
    else if (error.reason !== undefined) {
        requestLog(log, request).info(
            { event: 'operation.refused', status: error.status, message: error.message, reason: error.reason }, 'operation refused'
        );
    }

    const body = { message: error.message, ...error.details };
    const isPlain = error.http === undefined && statuses.info(error.status).http >= 400;
    return withLimits({
        requestId: request.requestId,
        status: error.status,
        attributes: { message: error.message, ...error.attributes },
        output: json(body),
        callerId: facts.caller?.userId ?? null,
        ...(isPlain ? {} : { http: statuses.errorCode(error) })
    }, facts);
}

/** Adds the rate limits of the request to its response, if there are some. */
function withLimits(response: NewResponse, { allowance }: RequestFacts): DoipResponse {

    const states = allowance?.states;
    if (states !== undefined && states.length > 0) {
        response.rateLimits = states;
    }

    return response;
}
