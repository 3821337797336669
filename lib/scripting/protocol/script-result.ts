/**
 * Parses results of the sandbox. Its output is untrusted: whatever it contains, the result has the declared shape.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { parseJson } from '../../json/strict-parser.js';
import { DoipError } from '../../errors/errors.js';
import { authorStack } from './stack-trace.js';
import type { ResultKind } from './messages.js';
import type { ScriptFailure } from './script-error.js';
import { ScriptError } from './script-error.js';
import { parseGiven, type ValueLimits } from './value-limits.js';
import type { DirectOutput } from '../../objects/hooks/lifecycle.js';

/** Output that a script wrote through `directIo`. */
export interface ScriptOutput {
    readonly bytes: readonly Uint8Array[];
    readonly filename: string | undefined;
    readonly mediaType: string | undefined;
}

/** Result of a call of type code. */
export interface ScriptResult {
    /** Return value; undefined if there was none or it was not requested. */
    readonly returned: JsonValue | undefined;
    /** JSON text of the return value in place of `returned`, if it was requested so and is long; null otherwise. */
    readonly text: string | null;
    /** The first argument after the call, or the value returned in its place; undefined only if not requested. */
    readonly object: JsonValue | undefined;
    /** Null if nothing was written. */
    readonly output: ScriptOutput | null;
}

const MAX_TEXT = 10_000;

/** What belongs to a line of sandbox output. */
export interface LineFacts {
    /** The code, such as `type Document`. */
    readonly label: string;
    readonly takes: ResultKind;
    /** What was written through `directIo`. */
    readonly output: readonly Uint8Array[];
    /** See {@link ScriptResult.text}. */
    readonly text: string | null;
    readonly limits: ValueLimits;
}

const GIVEN = 'what the code gave';

/**
 * Parses one line of sandbox output, in turns of the event loop of its own if it is long. An object that was requested and is missing is an error: callers
 * take its absence for that of the function.
 */
export async function readLine(line: string, { label, takes, output, text, limits }: LineFacts): Promise<ScriptResult | ScriptError> {

    let result: JsonObject;
    try {
        result = objectOf(await parseGiven(line, limits, GIVEN));
    }
    catch (error) {
        return new ScriptError(unreadable(error), label);
    }

    if (result['failure'] !== undefined) {
        return new ScriptError(readFailure(result['failure']), label);
    }

    const { object } = result;
    if (object === undefined && (takes === 'object' || takes === 'both')) {
        return new ScriptError({ kind: 'error', message: 'it gave no object that JSON can carry', stack: '' }, label);
    }

    return { returned: result['returned'], text, object, output: readOutput(result['output'], output) };
}

/** Returns the failure of code whose output cannot be parsed. */
export function unreadable(error: unknown): ScriptFailure {

    const message = error instanceof Error ? error.message : String(error);
    return error instanceof DoipError && error.http === 413 ?
        { kind: 'large', message } : { kind: 'error', message: `it gave something that JSON cannot carry: ${message}`, stack: '' };
}

/** Parses a failure reported by the sandbox. */
export function readFailure(value: JsonValue): ScriptFailure {

    const result = isJsonObject(value) ? value : {};
    const message = shortText(result['message']);
    switch (result['kind']) {
        case 'invalid':
            return { kind: 'invalid', message };
        case 'answer':
            return { kind: 'answer', body: isJsonObject(result['body']) ? result['body'] : { message }, status: readStatus(result['status']) };
        case 'limit':
            return result['limit'] === 'memory' ?
                { kind: 'limit', limit: 'memory', message: 'it needs too much memory' } :
                { kind: 'limit', limit: 'stack', message: 'its functions call each other too deeply' };
        case 'large':
            return { kind: 'large', message };
        case 'null':
            return { kind: 'error', message, stack: '' };
        default:
            return { kind: 'error', message, stack: authorStack(shortText(result['stack'])) };
    }
}

/** Parses a text of the sandbox; returns the error if it is no strict JSON. */
export function parsedResult(line: string): JsonObject | Error {

    try {
        return objectOf(parseJson(line));
    }
    catch (error) {
        return error instanceof Error ? error : new Error(String(error));
    }
}

function objectOf(value: JsonValue): JsonObject {

    return isJsonObject(value) ? value : {};
}

/** Parses an HTTP error code (also as a string) or the id of a DOIP status; null for anything else. */
function readStatus(status: JsonValue | undefined): number | string | null {

    if (typeof status === 'number' || typeof status === 'string' && /^\d{3}$/.test(status)) {
        const code = Number(status);
        return Number.isInteger(code) && code >= 400 && code <= 599 ? code : null;
    }

    return typeof status === 'string' && /^[^/\s]+\/\S+$/.test(status) && status.length <= 255 ? status : null;
}

function readOutput(value: JsonValue | undefined, bytes: readonly Uint8Array[]): ScriptOutput | null {

    if (!isJsonObject(value)) {
        return null;
    }

    const { filename, mediaType } = value;
    return {
        bytes,
        filename: typeof filename === 'string' ? shortText(filename) : undefined,
        mediaType: typeof mediaType === 'string' ? shortText(mediaType) : undefined
    };
}

function shortText(value: JsonValue | undefined): string {

    return typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed() : '';
}

/** Returns the output of a script in the form for hooks and methods. */
export function outputOf({ bytes, filename, mediaType }: ScriptOutput): DirectOutput {

    return {
        bytes: Buffer.concat(bytes),
        ...filename === undefined ? {} : { filename },
        ...mediaType === undefined ? {} : { mediaType }
    };
}
