/**
 * The only error class. Factories are named after the cause in the terms of the domain; the status table has the HTTP codes.
 */

import { Status } from './status.js';

/** A JSON value; declared here because errors import nothing. */
type ErrorDetail = string | number | boolean | null | ErrorDetail[] | ErrorDetails;

/** A JSON object. */
export interface ErrorDetails {
    [key: string]: ErrorDetail;
}

/** Members of an error besides status and message. */
export interface ErrorOptions {
    /** Further members of the error body, such as `errors`. */
    readonly details?: ErrorDetails;
    /** Attributes of the DOIP response, such as the size with an unsatisfiable range. */
    readonly attributes?: ErrorDetails;
    /** Overrides the HTTP code of the status, for protocol-level errors such as 413 and 416. */
    readonly http?: number;
    /** Reason for the log only, such as the rule that denied access. */
    readonly reason?: string;
    readonly cause?: unknown;
}

/** A response other than success. The message is sent to the caller and must never contain secrets. */
export class DoipError extends Error {

    readonly status: string;
    readonly details: ErrorDetails;
    readonly attributes: ErrorDetails;
    readonly http: number | undefined;
    readonly reason: string | undefined;

    constructor(status: string, message: string, options: ErrorOptions = {}) {

        super(message, options.cause === undefined ? undefined : { cause: options.cause });
        this.name = 'DoipError';
        this.status = status;
        this.details = options.details ?? {};
        this.attributes = options.attributes ?? {};
        this.http = options.http;
        this.reason = options.reason;
    }
}

/** 400: the request is malformed or names something impossible. */
export function badRequest(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.badRequest, message, options);
}

/** One error in content. */
export interface ContentError {
    /** JSON pointer of the invalid value; empty for the root. */
    readonly pointer: string;
    readonly message: string;
}

/** 400: content is invalid for its type. The message is the first error, as `pointer: text`. */
export function invalidContent(errors: readonly ContentError[]): DoipError {

    const first = errors[0];
    const message = first ? `${first.pointer}: ${first.message}` : 'content is not valid';
    return new DoipError(Status.badRequest, message, {
        details: { errors: errors.map(({ pointer, message }) => ({ pointer, message })) }
    });
}

/** 400: the service does not offer the operation on this target. */
export function declined(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.declined, message, options);
}

/** 401: not authenticated, or wrong credentials. */
export function unauthenticated(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.unauthenticated, message, options);
}

/** 403: authenticated, but not permitted. */
export function forbidden(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.forbidden, message, options);
}

/** 403 over HTTP, a bad request in DOIP: type code rejected the request by throwing a string. */
export function rejectedByCode(message: string): DoipError {

    return new DoipError(Status.badRequest, message, { http: REJECTED });
}

/** The HTTP code of {@link rejectedByCode}. */
export const REJECTED = 403;

/** 404: the object, or the requested part of it, does not exist. */
export function notFound(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.notFound, message, options);
}

/** 404: no object has this id. Clients of the reference implementation rely on the wording. */
export function missingObject(id: string, words = 'Missing object'): DoipError {

    return notFound(`${words} ${id}`);
}

/** 409: the id is taken, or a concurrent change came first. */
export function conflict(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.conflict, message, options);
}

/** 412 over HTTP: the object is not in the version that the request demands. */
export function preconditionFailed(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.conflict, message, { ...options, http: 412 });
}

/** 413: a configured limit is exceeded. */
export function tooLarge(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.badRequest, message, { ...options, http: 413 });
}

/** 416: the range contains no byte. `size` is the length in bytes. */
export function rangeNotSatisfiable(size: number): DoipError {

    return new DoipError(Status.badRequest, `range not satisfiable, the element has ${size} bytes`, {
        http: 416, attributes: { size }
    });
}

/** 429: concurrency limit of an expensive operation; `retryAfter` in seconds. */
export function tooManyRequests(message: string, retryAfter: number): DoipError {

    return new DoipError(Status.badRequest, message, { http: 429, attributes: { retryAfter } });
}

/** 507: a quota would be exceeded. `attributes` name it. */
export function insufficientStorage(message: string, attributes: ErrorDetails): DoipError {

    return new DoipError(Status.badRequest, message, { http: 507, attributes });
}

/** 503: temporarily unavailable; `retryAfter` in seconds. The cause is logged only. */
export function unavailable(message: string, retryAfter: number, cause?: unknown): DoipError {

    return new DoipError(Status.internal, message, { http: 503, attributes: { retryAfter }, cause });
}

/** True for what {@link unavailable} returns, and for other errors with its HTTP code, such as that of a query that took too long. */
export function isUnavailable(error: unknown): error is DoipError {

    return error instanceof DoipError && error.http === 503;
}

/** True for errors that may be over with the next attempt: too much to do for the service, or for the caller. */
export function isTemporary(error: unknown): error is DoipError {

    return isUnavailable(error) || error instanceof DoipError && error.http === 429;
}

/** Message of a change of which nobody knows whether it was made. */
export const UNKNOWN_OUTCOME = 'the database was lost while it stored the change: look whether it was stored before you try again';

/**
 * 500: a change was made, or may have been, and what follows it has failed. Never 503, after which clients repeat the change.
 */
export function unknownOutcome(cause: unknown): DoipError {

    // Not the cause itself, which may stand for a database that has stored nothing.
    return internal(new Error('a change was made, but what follows it has failed', { cause }), UNKNOWN_OUTCOME);
}

/** 500: the message to the caller is generic; the cause is logged only. */
export function internal(cause: unknown, message = 'Something went wrong. Contact your sysadmin.'): DoipError {

    return new DoipError(Status.internal, message, { cause });
}
