/** What the client throws: the rejections of the service, and connections that fail. Both say what is known of the request. */

import type { DoipResponse } from '../doip/envelope.js';
import { DoipError, type ErrorDetails } from '../errors/errors.js';
import { Status, StatusTable } from '../errors/status.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { type ClientResponse, readJsonBody } from './connection.js';
import { type ContentError, contentErrors } from './web/errors.js';
import type { FailedAttempt, RequestFacts } from './web/retry.js';

/** A response other than success. */
export class RequestError extends DoipError implements RequestFacts {

    /** Seconds after which the service suggests another attempt; null when it does not. */
    readonly retryAfter: number | null;
    attempts = 1;
    mayHaveChanged = false;

    constructor(status: string, message: string, { retryAfter, ...options }: {
        readonly details: ErrorDetails; readonly attributes: ErrorDetails; readonly retryAfter: number | null; readonly http?: number;
    }) {

        super(status, message, options);
        this.retryAfter = retryAfter;
    }

    /** Errors of the content by their JSON pointers, when it is not valid by the schema of its type. */
    get errors(): readonly ContentError[] {

        return contentErrors(this.details);
    }
}

/** What is known about a connection that has failed. */
interface ConnectionFailure {
    /** Code of Node, such as `ECONNREFUSED`. */
    readonly code?: string | undefined;
    readonly cause?: unknown;
    /** HTTP status, where something else than the service has answered. */
    readonly http?: number;
    readonly retryAfter?: number | null;
    /** True when another attempt may succeed. */
    readonly isLost?: boolean;
    readonly isUnsent?: boolean;
    readonly isPartial?: boolean;
}

/** There is no response, or none that could be used. */
export class ConnectionError extends Error implements RequestFacts {

    override readonly name = 'ConnectionError';
    /** Code of Node, such as `ECONNREFUSED`; undefined where there is none. */
    readonly code: string | undefined;
    /** Seconds after which a proxy suggests another attempt; null when none does. */
    readonly retryAfter: number | null;
    attempts = 1;
    mayHaveChanged = false;
    readonly #failure: FailedAttempt;

    constructor(message: string, failure: ConnectionFailure = {}) {

        const { code, cause, http = UNUSABLE, retryAfter = null, isLost = false, isUnsent = false, isPartial = false } = failure;
        super(message, cause === undefined ? {} : { cause });
        this.code = code;
        this.retryAfter = retryAfter;
        this.#failure = { status: isLost ? NO_RESPONSE : http, retryAfter, isUnsent, isPartial };
    }

    /** What decides whether the request is repeated. */
    static failureOf(error: ConnectionError): FailedAttempt {

        return error.#failure;
    }
}

/** Statuses that no service has: without a response, and where there is none that another attempt could improve. */
const NO_RESPONSE = 0;
const UNUSABLE = -1;

/** Statuses of responses that native DOIP tells apart by the attribute `retryAfter` alone. */
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** The attribute `error` of a response to a token that the service does not accept. */
const INVALID_TOKEN = 'invalid_token';

/** Codes of host names that were not resolved. */
const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Codes of connections that could not be opened, or were lost. */
const LOST: ReadonlySet<string> = new Set([
    ...UNRESOLVED, 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE'
]);

/** Codes of certificates that this side does not trust. The codes of OpenSSL (`ERR_SSL_…`) name those that the service rejects, too. */
const DISTRUSTED = /^(?!ERR_SSL_).*(?:CERT|LEAF_SIGNATURE)/;

/** A parser of Node does not understand the response. */
const UNREADABLE = /^HPE_/;

/** Returns an error of a connection as what the client throws; null for one that has nothing to do with the connection. */
export function connectionErrorOf(error: unknown, known: Pick<ConnectionFailure, 'isUnsent'> = {}): ConnectionError | null {

    if (error instanceof ConnectionError) {
        return error;
    }

    if (error instanceof DoipError && !(error instanceof RequestError)) {
        return new ConnectionError(`the response cannot be read: ${error.message}`, { cause: error, isPartial: true });
    }

    const { code, message } = error instanceof Error ? error as NodeJS.ErrnoException : {};
    if (typeof code !== 'string') {
        return null;
    }

    const isUnsent = known.isUnsent ?? isBeforeConnection(error);
    return new ConnectionError(message === undefined || message === '' ? code : message, {
        code, cause: error, isUnsent, isLost: LOST.has(code), isPartial: UNREADABLE.test(code)
    });
}

/** True for the error of a connection that was never open. Some codes, such as EHOSTUNREACH, also end an open one, after the request was sent. */
function isBeforeConnection(error: unknown): boolean {

    if (error instanceof AggregateError && error.errors.length > 0) {
        return error.errors.every(isBeforeConnection);
    }

    const { code = '', syscall } = error instanceof Error ? error as NodeJS.ErrnoException : {};
    return syscall === 'connect' || UNRESOLVED.has(code) || DISTRUSTED.test(code);
}

const STATUSES = new StatusTable();

/** Returns what is known about a request that the service has rejected. */
export function failureOf(
    { status, attributes, http, retryAfter }: Pick<ClientResponse, 'status' | 'attributes' | 'http' | 'retryAfter'>, details: ErrorDetails = {}
): FailedAttempt {

    const seconds = typeof attributes['retryAfter'] === 'number' ? attributes['retryAfter'] : retryAfter ?? null;
    const unnamed = seconds === null ? STATUSES.errorCode({ status }) : status === Status.badRequest ? TOO_MANY : UNAVAILABLE;
    // Of a batch that has ended early a part is stored.
    return {
        status: http ?? unnamed, retryAfter: seconds, isTokenRejected: status === Status.unauthenticated && attributes['error'] === INVALID_TOKEN,
        isPartial: attributes['report'] === true || Array.isArray(details['results'])
    };
}

/** The error that a response stands for. Reads the output. */
export async function errorOf(response: Pick<DoipResponse, 'status' | 'attributes' | 'output'> & Pick<ClientResponse, 'http' | 'retryAfter'>): Promise<RequestError> {

    const { status, attributes, output, http } = response;
    let details: JsonObject = {};
    for await (const segment of output) {
        const value = segment.kind === 'json' ? segment.value : await readJsonBody(segment.body).catch(() => null);
        details = isJsonObject(value) ? value : details;
    }

    const { message = attributes['message'] ?? status, ...others } = details;
    return new RequestError(status, typeof message === 'string' ? message : JSON.stringify(message), {
        details: others, attributes, retryAfter: failureOf(response).retryAfter, ...http === undefined ? {} : { http }
    });
}
