/**
 * Limits of the JSON values that code gives. The main thread parses objects and what is asked of the service, so that these have the limits of
 * what clients send. The value that a method returns is parsed by nobody here, and may be much longer.
 */

import { tooLarge } from '../../errors/errors.js';
import { DEFAULT_MAX_DEPTH, type JsonTextOptions, parseJsonInTurns } from '../../json/strict-parser.js';
import type { JsonValue } from '../../util/json-types.js';

/** Limits of a text that the main thread parses. */
export interface ValueLimits {
    /** Maximum number of values in it. */
    readonly maxValues: number;
    /** Maximum length in characters. */
    readonly maxLength: number;
}

const MIB = 1024 * 1024;

/** Least limits: stored objects stay within them when the limits of clients are lowered. */
export const DEFAULT_VALUE_LIMITS: ValueLimits = { maxValues: 50_000, maxLength: 6 * MIB };

/** Room for all parts of an object but content and user metadata, in values and characters. */
const OTHER_VALUES = 10_000;
const OTHER_LENGTH = 2 * MIB;

/** Length in characters up to which the place of an error is found. */
const MAX_EXPLAINED = 1 * MIB;

/** Maximum number of values in what a method returns. */
export const MAX_RETURNED_VALUES = 1_000_000;

/** Returns the limits by which an object is accepted that is within those of clients. */
export function valueLimitsFor({ jsonValues = Infinity, contentBytes }: { readonly jsonValues?: number; readonly contentBytes: number }): ValueLimits {

    const { maxValues, maxLength } = DEFAULT_VALUE_LIMITS;
    return { maxValues: Math.max(maxValues, 2 * jsonValues + OTHER_VALUES), maxLength: Math.max(maxLength, 2 * contentBytes + OTHER_LENGTH) };
}

/**
 * Parses a text of the sandbox, in turns of the event loop of its own if it is long.
 *
 * @throws DoipError 413 beyond the limits, 400 for a text that is no strict JSON
 */
export async function parseGiven(text: string, { maxValues, maxLength }: ValueLimits, name: string): Promise<JsonValue> {

    if (text.length > maxLength) {
        throw tooLarge(`${name} is longer than the allowed ${maxLength} characters`);
    }

    const options: JsonTextOptions = { maxValues, maxDepth: DEFAULT_MAX_DEPTH, name, explainsErrors: text.length <= MAX_EXPLAINED };
    return await parseJsonInTurns(text, options);
}
