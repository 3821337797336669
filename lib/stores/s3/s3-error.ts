/** Errors of an S3 store, by what can be done about them. */

import { unavailable, type DoipError } from '../../errors/errors.js';

/**
 * - `unreachable`: no answer, a lost connection, or an answer that asks to try again
 * - `denied`: credentials are missing, wrong, expired, or may not do this
 * - `full`: no room, or a quota
 * - `no-bucket`, `wrong-region`: the bucket is not there
 * - `missing`: there is no such object
 * - `rejected`: anything else
 */
export type S3Failure = 'unreachable' | 'denied' | 'full' | 'no-bucket' | 'wrong-region' | 'missing' | 'rejected';

/** An error of an S3 store. The message says what the store has said; it is for logs and for the start. */
export class S3Error extends Error {

    readonly failure: S3Failure;
    /** HTTP status of the answer; null without one. */
    readonly status: number | null;

    constructor(failure: S3Failure, message: string, cause?: unknown) {

        super(message, { cause });
        this.name = 'S3Error';
        this.failure = failure;
        this.status = (cause as Raw | undefined)?.$metadata?.httpStatusCode ?? null;
    }
}

/** What errors of the SDK and of node have. */
interface Raw {
    readonly name?: string;
    readonly code?: string;
    readonly message?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
}

const BY_NAME: ReadonlyMap<string, S3Failure> = new Map<string, S3Failure>([
    ...['NoSuchBucket'].map((name): [string, S3Failure] => [name, 'no-bucket']),
    ...['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'].map((name): [string, S3Failure] => [name, 'wrong-region']),
    ...['QuotaExceeded', 'XAmzQuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'InsufficientCapacity', 'InsufficientStorage', 'StorageFull', 'ServiceQuotaExceeded']
        .map((name): [string, S3Failure] => [name, 'full']),
    ...['CredentialsProviderError', 'TokenProviderError', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken', 'AccessDenied', 'AllAccessDisabled']
        .map((name): [string, S3Failure] => [name, 'denied']),
    ...['NoSuchKey', 'NotFound', 'NoSuchUpload'].map((name): [string, S3Failure] => [name, 'missing'])
]);

const [DENIED, MISSING, INSUFFICIENT_STORAGE, TOO_MANY, TIMEOUT, SERVER_ERROR] = [403, 404, 507, 429, 408, 500];

/** Classifies an error of the SDK. */
export function toS3Error(error: unknown): S3Error {

    if (error instanceof S3Error) {
        return error;
    }

    const { name = '', code = '', message = String(error), $metadata } = error as Raw;
    const said = [name === 'Error' || name === '' ? code : name, message].filter((part) => part !== '').join(': ');
    return new S3Error(failureOf(name, $metadata?.httpStatusCode), said, error);
}

function failureOf(name: string, status: number | undefined): S3Failure {

    if (status === INSUFFICIENT_STORAGE) {
        return 'full';
    }

    const known = BY_NAME.get(name);
    if (known) {
        return known;
    }

    if (status === undefined || status >= SERVER_ERROR || status === TOO_MANY || status === TIMEOUT) {
        return 'unreachable';
    }

    return status === DENIED ? 'denied' : status === MISSING ? 'missing' : status >= 300 && status < 400 ? 'wrong-region' : 'rejected';
}

/** Retry-After in seconds: an outage may end soon, but what an operator must change takes longer. */
const RETRY_SECONDS = 5;
const OPERATOR_SECONDS = 60;

const MESSAGES: Readonly<Record<S3Failure, string>> = {
    unreachable: 'the payload store does not answer, try again later',
    denied: 'the payload store refuses the service, try again later',
    full: 'the payload store is full: nothing was stored',
    'no-bucket': 'the payload store is not there, try again later',
    'wrong-region': 'the payload store is not there, try again later',
    missing: 'the payload store lost bytes while they were stored, try again',
    rejected: 'the payload store refuses the request, try again later'
};

/** The answer to a request that needs the store: 503, with the error as its cause. */
export function unavailableStore(error: S3Error): DoipError {

    return unavailable(MESSAGES[error.failure], error.failure === 'unreachable' || error.failure === 'missing' ? RETRY_SECONDS : OPERATOR_SECONDS, error);
}

/** An S3 store that the service must not or cannot use, found when it starts. */
export class PayloadStoreError extends Error {

    /** True where the store does not answer, and false where a setting must be changed. */
    readonly isOutage: boolean;

    constructor(message: string, isOutage = false, cause?: unknown) {

        super(message, { cause });
        this.name = 'PayloadStoreError';
        this.isOutage = isOutage;
    }
}
