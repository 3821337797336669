/**
 * The one error class. A factory names the cause in the words of the domain; the status table knows the HTTP code.
 */

import { Status } from './status.js';

/** A JSON value, as everywhere else; errors import nothing. */
type ErrorDetail = string | number | boolean | null | ErrorDetail[] | ErrorDetails;

/** A JSON object. */
export interface ErrorDetails {
    [key: string]: ErrorDetail;
}

/** Members of an error besides its status and message. */
export interface ErrorOptions {
    /** Further members of the error body, such as `errors`. */
    readonly details?: ErrorDetails;
    /** Attributes of the DOIP response, such as the size behind an unsatisfiable range. */
    readonly attributes?: ErrorDetails;
    /** Overrides the HTTP code of the status, for the few protocol-level answers such as 413 and 416. */
    readonly http?: number;
    /** Why, for the log only: which rule refused. */
    readonly reason?: string;
    readonly cause?: unknown;
}

/** An answer other than success. The message is shown to the caller and must never carry secrets. */
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

/** 400: the request is malformed or names something that cannot be. */
export function badRequest(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.badRequest, message, options);
}

/** One thing that is wrong with a piece of content. */
export interface ContentError {
    /** JSON pointer of the faulty value; empty for the root. */
    readonly pointer: string;
    readonly message: string;
}

/** 400: content that its type does not allow. The message shows the first fault as `pointer: text`. */
export function invalidContent(faults: readonly ContentError[]): DoipError {

    const first = faults[0];
    const message = first ? `${first.pointer}: ${first.message}` : 'content is not valid';
    return new DoipError(Status.badRequest, message, {
        details: { errors: faults.map(({ pointer, message }) => ({ pointer, message })) }
    });
}

/** 400: the service does not offer the operation on this target. */
export function declined(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.declined, message, options);
}

/** 401: nobody is logged in, or the credentials are wrong. */
export function unauthenticated(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.unauthenticated, message, options);
}

/** 403: the caller is known and may not. */
export function forbidden(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.forbidden, message, options);
}

/** 403 where HTTP codes count, and to DOIP a bad request: type code refuses something by throwing a text. */
export function refused(message: string): DoipError {

    return new DoipError(Status.badRequest, message, { http: REFUSED });
}

/** The HTTP code of {@link refused}. */
export const REFUSED = 403;

/** 404: the object, or the requested part of it, does not exist. */
export function notFound(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.notFound, message, options);
}

/** 404: there is no object with an id. Clients of the reference implementation look for its words. */
export function missingObject(id: string, words = 'Missing object'): DoipError {

    return notFound(`${words} ${id}`);
}

/** 409: the id is taken, or somebody else was faster. */
export function conflict(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.conflict, message, options);
}

/** 413: more than the configured limit. */
export function tooLarge(message: string, options?: ErrorOptions): DoipError {

    return new DoipError(Status.badRequest, message, { ...options, http: 413 });
}

/** 416: no byte of the requested range exists. `size` is the number of bytes there are. */
export function rangeNotSatisfiable(size: number): DoipError {

    return new DoipError(Status.badRequest, `range not satisfiable, the element has ${size} bytes`, {
        http: 416, attributes: { size }
    });
}

/** 429: more of something costly than is done at a time; `retryAfter` in seconds. */
export function tooManyRequests(message: string, retryAfter: number): DoipError {

    return new DoipError(Status.badRequest, message, { http: 429, attributes: { retryAfter } });
}

/** 503: try again a little later; `retryAfter` in seconds. The cause is for the log. */
export function unavailable(message: string, retryAfter: number, cause?: unknown): DoipError {

    return new DoipError(Status.internal, message, { http: 503, attributes: { retryAfter }, cause });
}

/** 500: the message is for the caller and says nothing; the cause is for the log. */
export function internal(cause: unknown, message = 'Something went wrong. Contact your sysadmin.'): DoipError {

    return new DoipError(Status.internal, message, { cause });
}
