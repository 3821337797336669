/**
 * A call of an operation by the command line, and its answer.
 */

import type { JsonObject } from '../util/json-types.js';

/** What a command asks for. */
export interface Ask {
    readonly operationId: string;
    readonly attributes?: JsonObject;
    readonly input?: { readonly mediaType: string; readonly body: AsyncIterable<Uint8Array> };
}

/** What came back. */
export interface Reply {
    readonly ok: boolean;
    readonly body: AsyncIterable<Uint8Array>;
}
