/**
 * How a call of type code can fail. Says what happened in the script; which status that means is decided where hooks and
 * methods are known.
 */

import type { JsonObject } from '../../util/json-types.js';

/** The limit that a script ran into. */
export type ScriptLimit = 'time' | 'memory' | 'stack' | 'size';

/** What went wrong. */
export type ScriptFailure =
    /** It threw a string, or an error by the name of InvalidException. */
    | { readonly kind: 'invalid'; readonly message: string }
    /** It threw a CordraError. `status` is an HTTP code, the id of a DOIP status, or null when it named none. */
    | { readonly kind: 'answer'; readonly body: JsonObject; readonly status: number | string | null }
    /** It threw anything else, or could not be loaded. `stack` points into the source of the author. */
    | { readonly kind: 'error'; readonly message: string; readonly stack: string }
    | { readonly kind: 'limit'; readonly limit: ScriptLimit; readonly message: string };

/** A call of type code that failed. */
export class ScriptError extends Error {

    readonly failure: ScriptFailure;
    /** Whose code it was, such as `type Document`. */
    readonly label: string;

    constructor(failure: ScriptFailure, label: string) {

        super(`the script of ${label} failed: ${messageOf(failure)}`);
        this.name = 'ScriptError';
        this.failure = failure;
        this.label = label;
    }
}

function messageOf(failure: ScriptFailure): string {

    return failure.kind === 'answer' ? JSON.stringify(failure.body) : failure.message;
}
