/**
 * Counts the values of a JSON text before it is parsed: memory and time depend on values rather than bytes, and a text of one
 * megabyte can have half a million of them.
 */

import { tooLarge } from '../errors/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { atOnce, type Steps } from '../util/concurrency/steps.js';
import { closingQuote, readToEnd } from './scanner.js';

const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Difference between braces and brackets. */
const LOWER_BIT = 0x20;

/** Divisor of the maximum number of values that gives the maximum number of properties of an object: very wide objects are slower. */
const SHARE_OF_OBJECT = 4;

/**
 * Checks that a text has no more values than allowed, and no object with more than a quarter as many properties. An empty array or
 * object counts as two. Throws DoipError 413.
 */
export function checkValueCount(text: string, max: number, name: string): void {

    atOnce(valueCountSteps(text, max, name));
}

/** The steps of {@link checkValueCount}. */
export function *valueCountSteps(text: string, max: number, name: string): Steps<void> {

    // A value takes at least two characters, its comma included, and a property more than twice as many.
    const excess = text.length > max ? yield* new ValueCounter(text, max).findExcess() : null;
    if (excess !== null) {
        throw tooLarge(`${name} holds ${excess}`);
    }
}

/** Returns the number of values of a text, counted like those of {@link checkValueCount}; for more than `max`, some number above it. */
export function countValues(text: string, max: number): number {

    const counter = new ValueCounter(text, max);
    return atOnce(counter.findExcess()) === null ? counter.count : max + 1;
}

/** Counts the values of an object like {@link checkValueCount} those of its text. Throws DoipError 413. */
export function checkValuesOf(value: JsonObject, max: number, name: string): void {

    if (max !== Infinity) {
        valuesLeft(value, { left: max - 1, max, name });
    }
}

/** Subtracts the values in a value from those that are left. */
function valuesLeft(value: JsonValue, state: { left: number; readonly max: number; readonly name: string }): void {

    if (typeof value !== 'object' || value === null) {
        return;
    }

    const isArray = Array.isArray(value);
    const members: readonly JsonValue[] = isArray ? value : Object.values(value);
    state.left -= Math.max(members.length, 1);
    if (state.left < 0) {
        throw tooLarge(`${state.name} holds ${tooManyValues(state.max)}`);
    }

    if (!isArray && members.length * SHARE_OF_OBJECT > state.max) {
        throw tooLarge(`${state.name} holds ${tooManyProperties(state.max)}`);
    }

    for (const member of members) {
        valuesLeft(member, state);
    }
}

function tooManyValues(max: number): string {

    return `more than the allowed ${max} values`;
}

function tooManyProperties(max: number): string {

    return `an object with more than the allowed ${Math.floor(max / SHARE_OF_OBJECT)} properties`;
}

class ValueCounter {

    readonly #text: string;
    readonly #max: number;
    /** Number of members so far of the open objects; negative for arrays, whose elements are not counted. */
    readonly #open: number[] = [];
    #count = 1;
    #index = 0;

    constructor(text: string, max: number) {

        this.#text = text;
        this.#max = max;
    }

    get count(): number {

        return this.#count;
    }

    /** Returns which limit is exceeded; null for none. */
    findExcess(): Steps<string | null> {

        return readToEnd(this.#text, (end) => this.#readTo(end));
    }

    #readTo(end: number): string | null {

        const text = this.#text;
        let i = this.#index;
        for (; i < end; ++i) {
            const code = text.charCodeAt(i);
            if (code <= BLANK) {
                continue;
            }

            if (code === QUOTE) {
                i = closingQuote(text, i);
            }
            else if (code === COMMA || (code | LOWER_BIT) === BRACE) {
                const excess = this.#take(code);
                if (excess !== null) {
                    return excess;
                }
            }
            else if ((code | LOWER_BIT) === CLOSING_BRACE) {
                this.#open.pop();
            }
        }

        this.#index = i;
        return null;
    }

    #take(code: number): string | null {

        if (++this.#count > this.#max) {
            return tooManyValues(this.#max);
        }

        const open = this.#open;
        if (code !== COMMA) {
            open.push(code === BRACE ? 1 : -Infinity);
            return null;
        }

        const members = (open.pop() ?? -Infinity) + 1;
        open.push(members);
        return members * SHARE_OF_OBJECT > this.#max ? tooManyProperties(this.#max) : null;
    }
}
