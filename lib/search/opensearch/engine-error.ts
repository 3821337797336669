/** Errors of OpenSearch, by what can be done about them. */

import { badRequest, internal, unavailable } from '../../errors/errors.js';
import type { DoipError } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';

/**
 * - `unreachable`: no answer, a lost connection, or an answer that asks to try again or is not of the engine
 * - `denied`: credentials are missing, wrong, or may not do this
 * - `missing`: there is no such index or document
 * - `conflict`: a newer document is there
 * - `too-long`: the request is longer than the server accepts
 * - `complex`: a query exceeds a limit of the server
 * - `rejected`: anything else
 */
export type EngineFailure = 'unreachable' | 'denied' | 'missing' | 'conflict' | 'too-long' | 'complex' | 'rejected';

/** An error of the engine. The message says what the engine has said; it is for logs and for the start. */
export class EngineError extends Error {

    readonly failure: EngineFailure;

    constructor(failure: EngineFailure, message: string, cause?: unknown) {

        super(message, { cause });
        this.name = 'EngineError';
        this.failure = failure;
    }
}

/** An engine that the service must not or cannot use, found when it starts. */
export class SearchEngineError extends Error {

    /** True where the engine does not answer, and false where a setting must be changed. */
    readonly isOutage: boolean;

    constructor(message: string, isOutage = false, cause?: unknown) {

        super(message, { cause });
        this.name = 'SearchEngineError';
        this.isOutage = isOutage;
    }
}

/** The engine is not that of the nodes that run. */
export class OtherClusterError extends SearchEngineError {}

/** What errors of the client have. */
interface Raw {
    readonly message?: string;
    readonly statusCode?: number;
    readonly meta?: { readonly body?: unknown };
}

const BY_STATUS: ReadonlyMap<number, EngineFailure> = new Map<number, EngineFailure>([
    [401, 'denied'], [403, 'denied'], [404, 'missing'], [408, 'unreachable'], [409, 'conflict'], [413, 'too-long'], [429, 'unreachable']
]);

/** What the engine says of what is missing has one of these; anything else is said by a server before it, such as a proxy that starts. */
const ANSWERS = ['error', 'found', '_index'];
const MISSING = 404;
const [INVALID, SERVER_ERROR] = [400, 500];
const MAX_MESSAGE = 1000;

/** Errors of an index that an operator has closed or blocked, whatever their status. */
const BLOCKED = new Set(['cluster_block_exception', 'security_exception', 'index_closed_exception', 'index_create_block_exception']);

/** An error in an answer of the engine. */
export interface ErrorCause {
    readonly type?: string;
    readonly root_cause?: readonly ErrorCause[];
}

/** Returns whether the engine refuses every request to an index until an operator changes something. */
export function isBlocked(error: ErrorCause | undefined): boolean {

    return BLOCKED.has(error?.type ?? '') || (error?.root_cause ?? []).some(({ type = '' }) => BLOCKED.has(type));
}

/** What the engine says of queries beyond its limits, whatever the status. */
const COMPLEX = /too_many_clauses|too many clauses|maxClauseCount|max_clause_count|too_complex|TooComplex|more than .* states|max_determinized_states|nested depth|nested clauses/i;

/** Classifies an error of the client. */
export function toEngineError(error: unknown): EngineError {

    if (error instanceof EngineError) {
        return error;
    }

    const { message = String(error), statusCode, meta } = error as Raw;
    const body = meta?.body === undefined ? '' : JSON.stringify(meta.body);
    const isForeign = statusCode === MISSING && !ANSWERS.some((name) => isJsonObject(meta?.body) && name in meta.body);
    const failure = COMPLEX.test(body) ? 'complex' : isForeign ? 'unreachable' : failureOf(statusCode, causeOf(meta?.body));
    return new EngineError(failure, `${message} ${body}`.trim().slice(0, MAX_MESSAGE), error);
}

function failureOf(status: number | undefined, cause: ErrorCause | undefined): EngineFailure {

    if (status === undefined || status >= SERVER_ERROR || status === INVALID && !cause) {
        return 'unreachable';               // A server before the engine says nothing of the request
    }

    return BY_STATUS.get(status) ?? (isBlocked(cause) ? 'denied' : 'rejected');
}

/** Returns the error in a body; undefined for what is not of the engine. */
function causeOf(body: unknown): ErrorCause | undefined {

    const { error } = (body ?? {}) as { readonly error?: unknown };
    return typeof error === 'object' && error !== null ? error : undefined;
}

const RETRY_SECONDS = 5;
const OPERATOR_SECONDS = 60;

/** The answer to a search that the engine could not answer. */
export function searchError(error: EngineError): DoipError {

    switch (error.failure) {
        case 'complex':
            return badRequest('the query has too many clauses or too complex patterns for the search engine, make it simpler', { cause: error });
        case 'rejected':
        case 'conflict':
        case 'too-long':
            return internal(error);
        case 'denied':
            return unavailable('the search engine refuses the service, try again later', OPERATOR_SECONDS, error);
        default:
            return unavailable('the search engine does not answer, try again later', RETRY_SECONDS, error);
    }
}
