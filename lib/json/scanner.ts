/**
 * Scans JSON text in one pass for what JSON.parse does not report: depth, strings that would be altered, numbers that JavaScript
 * writes differently, and the number of properties. It runs on every body, so it allocates hardly anything.
 */

import type { Steps } from '../util/concurrency/steps.js';

/** Result of {@link inspect} for a text that must be rejected. */
export const INVALID = -1;
/** Maximum length of a number, in characters. */
export const MAX_NUMBER_LENGTH = 1000;
/** Maximum length of a number written by JavaScript. */
export const MAX_WRITTEN_LENGTH = 25;
/** Without an exponent, shorter numbers are within the range of doubles. */
const FINITE_LENGTH = 300;
/** Number of characters that are read in one step. */
export const PER_STEP = 64 * 1024;
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const LOWER_U = 0x75;

/**
 * Returns the number of colons outside of strings, which is that of properties if the text is JSON; INVALID when the text is too
 * deep, has strings that would be altered, or numbers beyond the range of doubles. Other errors are left to JSON.parse.
 *
 * @param numbers receives start and end of each number that JavaScript writes differently
 */
export function inspect(text: string, maxDepth: number, numbers: number[]): number {

    const inspection = text.isWellFormed() ? new Inspection(text, maxDepth, numbers) : null;
    return inspection?.readTo(text.length) ? inspection.colons : INVALID;
}

/** The steps of {@link inspect}. */
export function *inspectionSteps(text: string, maxDepth: number, numbers: number[]): Steps<number> {

    if (!text.isWellFormed()) {
        return INVALID;
    }

    const inspection = new Inspection(text, maxDepth, numbers);
    return (yield* readToEnd(text, (end) => (inspection.readTo(end) ? null : INVALID))) ?? inspection.colons;
}

/** Reads a text in steps: `readTo` goes on to an index, and returns a result other than null to end. Null at the end of the text. */
export function *readToEnd<T>(text: string, readTo: (end: number) => T | null): Steps<T | null> {

    for (let end = PER_STEP; ; end += PER_STEP) {
        const result = readTo(Math.min(end, text.length));
        if (result !== null || end >= text.length) {
            return result;
        }

        yield;
    }
}

class Inspection {

    readonly #text: string;
    readonly #maxDepth: number;
    readonly #numbers: number[];
    #index = 0;
    #colons = 0;
    #depth = 0;
    /** Index of the next backslash that may begin the escape of a surrogate, as only those can be invalid; Infinity for none. */
    #escape: number;

    constructor(text: string, maxDepth: number, numbers: number[]) {

        this.#text = text;
        this.#maxDepth = maxDepth;
        this.#numbers = numbers;
        this.#escape = /\\u[dD]/.test(text) ? nextEscape(text, 0) : Infinity;
    }

    get colons(): number {

        return this.#colons;
    }

    /** Goes on to an index; returns false for what is invalid. */
    readTo(end: number): boolean {

        const text = this.#text;
        const maxDepth = this.#maxDepth;
        let i = this.#index;
        let colons = this.#colons;
        let depth = this.#depth;
        for (; i < end; ++i) {
            const code = text.charCodeAt(i);
            if (code <= BLANK) {
                continue;
            }

            if (code === QUOTE) {
                const start = i;
                i = closingQuote(text, i);
                if (this.#escape !== Infinity && this.#hasLoneSurrogate(start, i)) {
                    return false;
                }
            }
            else if (code === 0x3a) {                       // :
                ++colons;
            }
            else if (code === 0x7b || code === 0x5b) {      // { [
                if (++depth > maxDepth) {
                    return false;
                }
            }
            else if (code === 0x7d || code === 0x5d) {      // } ]
                --depth;
            }
            else if (isDigit(code)) {
                i = this.#numberEnd(i) - 1;
                if (i < 0) {
                    return false;
                }
            }
        }

        this.#index = i;
        this.#colons = colons;
        this.#depth = depth;
        return true;
    }

    #hasLoneSurrogate(start: number, end: number): boolean {

        if (this.#escape < start) {
            this.#escape = nextEscape(this.#text, start);
        }

        return this.#escape < end && hasLoneSurrogate(this.#text, this.#escape, end);
    }

    /** Returns the index after the number whose first digit is at `i`; INVALID for one that is. */
    #numberEnd(i: number): number {

        const start = this.#text.charCodeAt(i - 1) === MINUS ? i - 1 : i;
        const end = numberEnd(this.#text, start);
        if (end < 0 && end !== INVALID) {
            this.#numbers.push(start, ~end);
            return ~end;
        }

        return end;
    }
}

/** Returns the index of the closing quote of the string that starts at `start`; the length of the text when there is none. */
export function closingQuote(text: string, start: number): number {

    const quote = text.indexOf('"', start + 1);
    if (quote === -1) {
        return text.length;
    }

    return text.charCodeAt(quote - 1) === BACKSLASH ? closingQuoteAfterEscapes(text, start + 1) : quote;
}

function closingQuoteAfterEscapes(text: string, start: number): number {

    for (let i = start; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code === QUOTE) {
            return i;
        }

        i += code === BACKSLASH ? 1 : 0;
    }

    return text.length;
}

/** Returns the index of the next backslash; Infinity when there is none. */
function nextEscape(text: string, start: number): number {

    const index = text.indexOf('\\', start);
    return index === -1 ? Infinity : index;
}

/** Returns whether a string, from its first escape on, has an escaped lone surrogate. */
function hasLoneSurrogate(text: string, start: number, end: number): boolean {

    for (let i = start; i < end; ++i) {
        if (text.charCodeAt(i) === BACKSLASH) {
            const length = escapeLength(text, i);
            if (length === INVALID) {
                return true;
            }

            i += length - 1;
        }
    }

    return false;
}

/** Returns the length of the escape at `i`, that of a surrogate pair as a whole; INVALID for a lone surrogate. */
export function escapeLength(text: string, i: number): number {

    const unit = escapedUnit(text, i);
    if (!(unit >= 0xd800 && unit <= 0xdfff)) {
        return 2;
    }

    const next = unit <= 0xdbff ? escapedUnit(text, i + 6) : INVALID;
    return next >= 0xdc00 && next <= 0xdfff ? 12 : INVALID;
}

/** Returns the UTF-16 code unit that the escape `\uXXXX` at `i` stands for; INVALID when there is none. */
export function escapedUnit(text: string, i: number): number {

    if (text.charCodeAt(i) !== BACKSLASH || text.charCodeAt(i + 1) !== LOWER_U) {
        return INVALID;
    }

    let unit = 0;
    for (let digit = i + 2; digit < i + 6; ++digit) {
        const value = hexValue(text.charCodeAt(digit));
        if (value === INVALID) {
            return INVALID;
        }

        unit = unit * 16 + value;
    }

    return unit;
}

/** Returns the value of a hexadecimal digit; INVALID for another character. */
function hexValue(code: number): number {

    if (isDigit(code)) {
        return code - ZERO;
    }

    const lower = code | 0x20;
    return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : INVALID;
}

/**
 * Returns the index after the number at `start`, as bitwise complement when JavaScript writes the number differently; INVALID when
 * it is too long or beyond the range of doubles.
 */
function numberEnd(text: string, start: number): number {

    let end = start + 1;
    let dot = -1;
    for (let code = text.charCodeAt(end); isDigit(code) || code === DOT; code = text.charCodeAt(++end)) {
        dot = code === DOT ? end : dot;
    }

    const hasExponent = (text.charCodeAt(end) | 0x20) === 0x65;         // e E
    if (!hasExponent && end - start <= 15 && (dot < 0 ? text[start] !== '-' || text[start + 1] !== '0' : isPlainFraction(text, dot, end))) {
        return end;                                         // A double can represent any fifteen decimal digits
    }

    if (hasExponent) {
        const sign = text.charCodeAt(++end);
        end += sign === 0x2b || sign === MINUS ? 1 : 0;
        while (isDigit(text.charCodeAt(end))) {
            ++end;
        }
    }

    if (end - start > MAX_NUMBER_LENGTH) {
        return INVALID;
    }

    if (end - start > MAX_WRITTEN_LENGTH && end - start < FINITE_LENGTH && !hasExponent) {
        return ~end;                                        // Not converted here: that is slow for so many digits, and JSON.parse does it anyway
    }

    const token = text.slice(start, end);
    const value = Number(token);
    if (value === Infinity || value === -Infinity) {
        return INVALID;
    }

    return Number.isNaN(value) || String(value) === token ? end : ~end;         // JSON.parse reports invalid numbers
}

/** Returns whether a fraction has the form of JavaScript: no trailing zeros, and not so small that it gets an exponent. */
function isPlainFraction(text: string, dot: number, end: number): boolean {

    return text.charCodeAt(end - 1) !== ZERO && !text.startsWith('000000', dot + 1);
}

function isDigit(code: number): boolean {

    return code >= ZERO && code <= 0x39;
}
