/**
 * What a translator needs of the gateway: one function, the table of statuses, and limits. The gateway fits; so does
 * anything that a test makes up.
 */

import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { StatusTable } from '../../lib/doip/status.js';

/** Performs operations. Never rejects: an error is a response. */
export interface Performer {
    perform(request: DoipRequest): Promise<DoipResponse>;
    readonly statuses: StatusTable;
}

/** What a request may cost before anybody has looked at it. Sizes in bytes. */
export interface HttpLimits {
    /** A JSON body or part, decompressed. */
    readonly jsonBytes: number;
    /** Levels of nesting in JSON. */
    readonly jsonDepth: number;
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
    jsonBytes: 16 * 1024 * 1024,
    jsonDepth: 128,
    formBytes: 4 * 1024 * 1024,
    parameters: 1000,
    parts: 1000,
    partHeaderBytes: 16 * 1024
};
