/**
 * Failures of type code. Describes what happened in the script; hooks and methods determine the status it leads to.
 */

import type { JsonObject } from '../../util/json-types.js';
import { badRequest, DoipError, rejectedByCode, tooLarge } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';

/** The limit that a script exceeded. */
export type ScriptLimit = 'time' | 'memory' | 'stack' | 'size';

/** Cause of a failure. */
export type ScriptFailure =
    /** Threw a string, or an error named InvalidException. */
    | { readonly kind: 'invalid'; readonly message: string }
    /** Threw a CordraError. `status` is an HTTP code, the id of a DOIP status, or null if it has none. */
    | { readonly kind: 'answer'; readonly body: JsonObject; readonly status: number | string | null }
    /** Threw anything else, or could not be loaded. `stack` refers to the source of the author. */
    | { readonly kind: 'error'; readonly message: string; readonly stack: string }
    | { readonly kind: 'limit'; readonly limit: ScriptLimit; readonly message: string }
    /** Gave an object with more values than clients may send, or a longer one. */
    | { readonly kind: 'large'; readonly message: string };

/** A failed call of type code. */
export class ScriptError extends Error {

    readonly failure: ScriptFailure;
    /** The code, such as `type Document`. */
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

/** DOIP statuses that correspond to HTTP codes. */
const STATUSES: ReadonlyMap<number, string> = new Map([
    [400, Status.badRequest], [401, Status.unauthenticated], [403, Status.forbidden], [404, Status.notFound],
    [409, Status.conflict], [500, Status.internal]
]);

const STOPPED = 'stopped';

/** True for code that was stopped at a limit: a retry would most likely be stopped too. */
export function wasStopped(error: unknown): error is DoipError {

    return error instanceof DoipError && error.reason === STOPPED;
}

/** Errors that were made of failures of code. */
const ofCode = new WeakSet<object>();

/** True for an error that {@link answerTo} made: the code failed, and not the service. */
export function isOfCode(error: unknown): error is Error {

    return error instanceof Error && ofCode.has(error);
}

/** 500: calls for several objects together reached a limit, though none of them reached it by itself. */
export function stoppedTogether(label: string, message: string): DoipError {

    return new DoipError(Status.internal, `the script of ${label} was stopped: ${message}`, { reason: STOPPED });
}

/** How the code was called. */
export interface Situation {
    /** HTTP code for a thrown string. */
    readonly rejectionStatus: 400 | 403;
    /** True to include details of the failure. */
    readonly isAdmin: boolean;
}

/** Returns the error for the caller. Only the administrator gets details of failures. */
export function answerTo(error: ScriptError, situation: Situation): DoipError {

    const answer = answerOf(error, situation);
    ofCode.add(answer);
    return answer;
}

function answerOf({ failure, label }: ScriptError, { rejectionStatus, isAdmin }: Situation): DoipError {

    switch (failure.kind) {
        case 'invalid':
            return rejectionStatus === 403 ? rejectedByCode(failure.message) : badRequest(failure.message);
        case 'answer':
            return thrownAnswer(failure.body, failure.status);
        case 'large':
            return tooLarge(failure.message);
        case 'limit':
            return new DoipError(Status.internal, `the script of ${label} was stopped: ${failure.message}`, { reason: STOPPED });
        case 'error':
            return isAdmin ?
                new DoipError(Status.internal, `the script of ${label} failed: ${failure.message}`, { details: { stack: failure.stack } }) :
                new DoipError(Status.internal, 'Something went wrong. Contact your sysadmin.');
    }
}

/** Returns the code by which a script sees an error of the service: the HTTP code, or the DOIP status if none corresponds. */
export function codeOf({ status, http }: DoipError): number | string {

    return http ?? [...STATUSES].find(([, id]) => id === status)?.[0] ?? status;
}

/** Returns the error for a CordraError: its body, and its DOIP status or HTTP code (default 400). */
function thrownAnswer(body: JsonObject, code: number | string | null): DoipError {

    const { message: text, ...details } = body;
    const message = typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text);
    if (typeof code === 'string') {
        return new DoipError(code === Status.ok ? Status.badRequest : code, message, { details });
    }

    const http = code ?? 400;
    const status = STATUSES.get(http);
    return status ?
        new DoipError(status, message, { details }) :
        new DoipError(http < 500 ? Status.badRequest : Status.internal, message, { details, http });
}
