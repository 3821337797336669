/**
 * Origin of a host call.
 */

/** Origin of a host call, passed on to scripts that run in order to answer it. */
export interface ScriptScope {
    /** 0 for a script called by a request, 1 for a script that runs because of a host call of such a script. */
    readonly depth: number;
    /** Deadline of the waiting script, on the clock of `performance.now()`. */
    readonly deadline: number;
    /** Aborted when the result is no longer needed. */
    readonly signal: AbortSignal;
    readonly callerKey: string;
}
