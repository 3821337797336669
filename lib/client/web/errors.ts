/** What the client throws: one class of errors, with the HTTP status and the message of the service. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJson } from './json.js';
import type { FailedAttempt, RequestFacts } from './retry.js';
import { chunksOf } from './streams.js';

/** What is wrong with a value in the content of an object. */
export interface ContentError {
    /** JSON pointer of the value. */
    readonly pointer: string;
    readonly message: string;
}

/** What is known about a failed request. */
export interface Failure {
    readonly status: number;
    /** Members of the response besides `message`. */
    readonly details?: JsonObject;
    /** Seconds. */
    readonly retryAfter?: number | null;
    readonly requestId?: string | null;
    /** True when the service says that it no longer accepts the token. Default false. */
    readonly isTokenRejected?: boolean;
    readonly cause?: unknown;
}

/** A request that failed: the service rejected it, or did not respond. */
export class RepositoryError extends Error implements RequestFacts {

    override readonly name = 'RepositoryError';
    /** HTTP status; 0 when there was no response. */
    readonly status: number;
    /** Members of the response besides `message`; empty when there are none. */
    readonly details: JsonObject;
    /** Seconds after which the service suggests another attempt; null when it does not. */
    readonly retryAfter: number | null;
    /** The id of the request in the log of the service; null when there was no response. */
    readonly requestId: string | null;
    attempts = 1;
    mayHaveChanged = false;
    readonly #failure: FailedAttempt;

    constructor(message: string, { status, details = {}, retryAfter = null, requestId = null, isTokenRejected = false, cause }: Failure) {

        super(message, cause === undefined ? {} : { cause });
        this.status = status;
        this.details = details;
        this.retryAfter = retryAfter;
        this.requestId = requestId;
        // A batch that has ended early reports the items that were stored.
        this.#failure = { status, retryAfter, isTokenRejected, isPartial: Array.isArray(details['results']) };
    }

    /** What decides whether the request is repeated. */
    static failureOf(error: RepositoryError): FailedAttempt {

        return error.#failure;
    }

    /** Errors of the content by their JSON pointers, when it is not valid by the schema of its type (status 400). */
    get errors(): readonly ContentError[] {

        return contentErrors(this.details);
    }
}

/** Returns the errors of the content that a response lists; empty if it lists none. */
export function contentErrors({ errors }: JsonObject): readonly ContentError[] {

    return Array.isArray(errors) ? errors.filter(isJson) as unknown as ContentError[] : [];
}

/** How the header WWW-Authenticate names a token that the service does not accept (RFC 6750). */
const INVALID_TOKEN = /\berror="?invalid_token\b/i;

/** Maximum length in characters of an error response that is not JSON, in a message. */
const MAX_TEXT = 200;

/** Maximum length in characters of an error response; a longer one is not read to its end. */
const MAX_RESPONSE = 4 * 1024 * 1024;

/** Returns the error that a response stands for. Reads or cancels its body. */
export async function errorOf(response: Response, request: string): Promise<RepositoryError> {

    const { status, headers } = response;
    const text = await textOf(response);
    const body = parse(text);
    const { message, ...details } = isJson(body) ? body : {};
    const sentence = typeof message === 'string' ? message : `${request}: status ${status}${text === '' ? '' : `, ${text.slice(0, MAX_TEXT)}`}`;
    return new RepositoryError(sentence, {
        status, details, retryAfter: secondsIn(headers.get('retry-after')), requestId: headers.get('request-id'),
        isTokenRejected: INVALID_TOKEN.test(headers.get('www-authenticate') ?? '')
    });
}

/** Returns the error of a request without a response. */
export function unreachable(origin: string, cause: unknown): RepositoryError {

    const { message, cause: deeper } = cause instanceof Error ? cause : new Error(String(cause));
    const reason = deeper instanceof Error && deeper.message !== '' ? deeper.message : message;
    return new RepositoryError(`no response from ${origin}: ${reason}`, { status: 0, cause });
}

async function textOf({ body }: Response): Promise<string> {

    const decoder = new TextDecoder();
    let text = '';
    try {
        for await (const chunk of chunksOf(body ?? new Uint8Array())) {
            text += decoder.decode(chunk, { stream: true });
            if (text.length > MAX_RESPONSE) {
                break;
            }
        }
    }
    catch {
        // What has arrived is as good as can be.
    }

    return text;
}

function parse(text: string): JsonValue {

    try {
        return JSON.parse(text) as JsonValue;
    }
    catch {
        return null;
    }
}

/** Reads Retry-After, which is a number of seconds or a date. */
export function secondsIn(text: string | null, now = Date.now()): number | null {

    if (text === null || text.trim() === '') {
        return null;
    }

    const seconds = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
    return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
