/**
 * What a translator needs of the gateway: one function, the table of statuses, and limits. The gateway fits; so does
 * anything that a test makes up.
 */

import type { DoipRequest, DoipResponse, Transport } from '../../../lib/doip/envelope.js';
import type { DoipError } from '../../../lib/errors/errors.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { DEFAULT_MAX_DEPTH } from '../../../lib/json/strict-parser.js';
import type { StatusTable } from '../../../lib/errors/status.js';

/** Performs operations. Never rejects: an error is a response. */
export interface Performer {
    perform(request: DoipRequest): Promise<DoipResponse>;
    /** Rate limiter: the answer to credentials that are rejected before anything is performed; null for all others. */
    readonly edge?: { rejects(authentication: JsonObject, transport: Transport): DoipError | null };
    readonly statuses: StatusTable;
}

/** What a request may cost before anybody has looked at it. Sizes in bytes. */
export interface HttpLimits {
    /** A JSON body or part, decompressed. */
    readonly jsonBytes: number;
    /** Levels of nesting in JSON. */
    readonly jsonDepth: number;
    /** Values in a JSON body or part. */
    readonly jsonValues: number;
    /** A body of JSON or form fields of a caller who shows no credentials, and of every search. */
    readonly anonymousBytes: number;
    /** All such bodies that are in memory at a time. */
    readonly bodyMemoryBytes: number;
    /** Takes bytes from what all requests share; throws 429 or 503 where there is no room. Absent: nothing is shared. */
    readonly takeBytes?: (bytes: number) => void;
    /** A body of form fields, and a form field in a multipart body. */
    readonly formBytes: number;
    /** Parameters in query and form body together. */
    readonly parameters: number;
    /** Parts of a multipart body. */
    readonly parts: number;
    /** The headers of one part. */
    readonly partHeaderBytes: number;
}

/** Limits where the configuration says nothing. */
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

/** What every translator over HTTP is given when it is mounted. */
export interface TranslatorOptions {
    readonly gateway: Performer;
    /** Default: {@link DEFAULT_LIMITS}, each on its own. */
    readonly limits?: Partial<HttpLimits>;
    /** Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; default none. */
    readonly trustedProxies?: readonly string[];
    /** What stands before all paths; default nothing, and `/cordra` which some clients expect. */
    readonly bases?: readonly string[];
    /** True where the server shapes the errors of hapi itself (`shapeErrors`), so that a plugin need not look at every answer. */
    readonly errorsAreShaped?: boolean;
}

/** Where paths of the interface begin, unless somebody says otherwise. */
export const DEFAULT_BASES: readonly string[] = ['', '/cordra'];
