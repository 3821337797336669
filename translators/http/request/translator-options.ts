/** Dependencies of a translator: one function, the table of statuses, and limits. A gateway provides them, as can a test double. */

import type { DoipRequest, DoipResponse, InputKind, MemoryLimits, Transport } from '../../../lib/doip/envelope.js';
import type { Forward } from './primary.js';
import type { DoipError } from '../../../lib/errors/errors.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { DEFAULT_MAX_DEPTH } from '../../../lib/json/strict-parser.js';
import type { StatusTable } from '../../../lib/errors/status.js';

/** Performs operations. Never rejects: an error is a response. */
export interface Performer {
    perform(request: DoipRequest): Promise<DoipResponse>;
    /** Returns the error to report for one that the output of a response throws, if that is known better, such as 503 for a lost database; otherwise null. */
    explain?(error: unknown): DoipError | null;
    /** Rate limiter: returns the error for credentials that are rejected before the request is performed, otherwise null. */
    readonly edge?: { rejects(authentication: JsonObject, transport: Transport): DoipError | null };
    readonly statuses: StatusTable;
    /** Returns what the input of a request is. `operationId` is an id or alias; empty where the limits of the operation apply in another way. */
    inputKind?(operationId: string, authentication: JsonObject): InputKind;
}

/** Limits that apply before authentication. Sizes in bytes. */
export interface HttpLimits extends MemoryLimits {
    /** Maximum size of a JSON or form body without credentials, and of every search. */
    readonly anonymousBytes: number;
    /** Maximum total size of such bodies in memory. */
    readonly bodyMemoryBytes: number;
    /** Maximum size of a body of form fields, and of a form field in a multipart body. */
    readonly formBytes: number;
    /** Maximum number of parameters in query and form body together. */
    readonly parameters: number;
    /** Maximum number of parts of a multipart body. */
    readonly parts: number;
    /** Maximum size of the headers of one part. */
    readonly partHeaderBytes: number;
}

/** How much of a request that is of no interest any more is read, and for how many milliseconds, so that its sender can receive the response. */
export const DISCARD = { bytes: 64 * 1024 * 1024, ms: 5000 };

/** Default limits. */
export const DEFAULT_LIMITS: HttpLimits = {
    jsonBytes: 4 * 1024 * 1024,
    jsonDepth: DEFAULT_MAX_DEPTH,
    jsonValues: 20_000,
    anonymousBytes: 1024 * 1024,
    bodyMemoryBytes: 64 * 1024 * 1024,
    formBytes: 4 * 1024 * 1024,
    parameters: 1000,
    parts: 2048,
    partHeaderBytes: 16 * 1024
};

/** Options of every HTTP translator. */
export interface TranslatorOptions {
    readonly gateway: Performer;
    /** Default for each: {@link DEFAULT_LIMITS}. */
    readonly limits?: Partial<HttpLimits>;
    /** Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted; default none. */
    readonly trustedProxies?: readonly string[];
    /** Prefixes of all paths; default none, and `/cordra`, which some clients expect. */
    readonly bases?: readonly string[];
    /** True when the server formats hapi's errors (`shapeErrors`), so that plugins do not have to inspect every response. */
    readonly errorsAreShaped?: boolean;
    /** True where `/session` is mounted: its cookie is a credential of requests of the same origin. */
    readonly hasBrowserSessions?: boolean;
    /** In a worker process: forwards a request that is for the primary process. */
    readonly forward?: Forward;
}

/** Default prefixes of the paths of the interface. */
export const DEFAULT_BASES: readonly string[] = ['', '/cordra'];
