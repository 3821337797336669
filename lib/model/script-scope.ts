/**
 * Where a call of a script comes from.
 */

/** Where a question comes from: to be handed on to calls of scripts that the answer takes. */
export interface ScriptScope {
    /** 0 for a script that a request called, 1 for one that is run because of what that script asked for. */
    readonly depth: number;
    /** When the script that waits is ended, as `performance.now()` counts. */
    readonly deadline: number;
    /** Aborted when nobody waits any more. */
    readonly signal: AbortSignal;
    readonly callerKey: string;
}
