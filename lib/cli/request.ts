/** Operation calls of the command line. */

import type { JsonObject } from '../util/json-types.js';

/** An operation to perform. */
export interface CliRequest {
    readonly operationId: string;
    readonly attributes?: JsonObject;
    readonly input?: { readonly mediaType: string; readonly body: AsyncIterable<Uint8Array> };
}

/** Response of an operation. */
export interface Reply {
    readonly ok: boolean;
    readonly body: AsyncIterable<Uint8Array>;
}
