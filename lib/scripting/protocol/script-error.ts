/**
 * How a call of type code can fail. Says what happened in the script; which status that means is decided where hooks and
 * methods are known.
 */

import type { JsonObject } from '../../util/json-types.js';
import { badRequest, DoipError, refused } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';

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

/** The DOIP statuses that stand for HTTP codes. */
const STATUSES: ReadonlyMap<number, string> = new Map([
    [400, Status.badRequest], [401, Status.unauthenticated], [403, Status.forbidden], [404, Status.notFound],
    [409, Status.conflict], [500, Status.internal]
]);

const STOPPED = 'stopped';

/** True for the error of code that was stopped at one of its limits: asked again it would most likely be stopped again. */
export function wasStopped(error: unknown): boolean {

    return error instanceof DoipError && error.reason === STOPPED;
}

/** Where the code was called from. */
export interface Situation {
    /** HTTP code for a thrown string. */
    readonly refusal: 400 | 403;
    /** Authors see where their code failed. */
    readonly isAdmin: boolean;
}

/** The error for whoever waits for the script. Details of faults are for the administrator alone. */
export function answerTo({ failure, label }: ScriptError, { refusal, isAdmin }: Situation): DoipError {

    switch (failure.kind) {
        case 'invalid':
            return refusal === 403 ? refused(failure.message) : badRequest(failure.message);
        case 'answer':
            return ownAnswer(failure.body, failure.status);
        case 'limit':
            return new DoipError(Status.internal, `the script of ${label} was stopped: ${failure.message}`, { reason: STOPPED });
        case 'error':
            return isAdmin ?
                new DoipError(Status.internal, `the script of ${label} failed: ${failure.message}`, { details: { stack: failure.stack } }) :
                new DoipError(Status.internal, 'Something went wrong. Contact your sysadmin.');
    }
}

/** What a script is told of a fault of the service, as it would write it itself: the HTTP code; the status where none stands for it. */
export function codeOf({ status, http }: DoipError): number | string {

    return http ?? [...STATUSES].find(([, id]) => id === status)?.[0] ?? status;
}

/** What a CordraError says: its body, and a DOIP status or an HTTP code, 400 when it names none. */
function ownAnswer(body: JsonObject, code: number | string | null): DoipError {

    const { message: given, ...details } = body;
    const message = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given);
    if (typeof code === 'string') {
        return new DoipError(code === Status.ok ? Status.badRequest : code, message, { details });
    }

    const http = code ?? 400;
    const status = STATUSES.get(http);
    return status ?
        new DoipError(status, message, { details }) :
        new DoipError(http < 500 ? Status.badRequest : Status.internal, message, { details, http });
}
