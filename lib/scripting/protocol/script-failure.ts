/**
 * What a failure of type code means to the one whose request ran it.
 */

import type { JsonObject } from '../../util/json-types.js';
import { badRequest, DoipError, refused } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';
import type { ScriptError } from './script-error.js';

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
