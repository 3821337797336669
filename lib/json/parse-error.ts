/**
 * Finds the first error in JSON text that `strict-parser.ts` rejected: a strict parser, slower than JSON.parse, and never used for
 * valid texts.
 */

import { badRequest, DoipError, invalidContent } from '../errors/errors.js';
import type { Steps } from '../util/concurrency/steps.js';
import { childPointer, MAX_POINTER_SHOWN, shownPointer } from './pointer.js';
import { closingQuote, escapedUnit, escapeLength, MAX_NUMBER_LENGTH, PER_STEP } from './scanner.js';

/** Maximum length of a number in the message of an error. */
const MAX_NUMBER_SHOWN = 60;

/** Returns the error for the first mistake in a text. */
export function *explainError(text: string, maxDepth: number, name: string): Steps<DoipError> {

    try {
        new ErrorLocator(text, maxDepth).document();
    }
    catch (error) {
        if (error instanceof DoipError) {
            return error;
        }

        if (!(error instanceof SyntaxMistake || error instanceof BrokenString)) {
            throw error;
        }

        yield;
        const found = error instanceof BrokenString ? yield* stringError(text, error) : error;
        return found instanceof DoipError ? found : yield* malformedAt(text, found, name);
    }

    return malformed(name);
}

/** Returns the error for a text that is not JSON, where nobody is told what is wrong. */
export function malformed(name: string): DoipError {

    return badRequest(`${name} is malformed`, { details: { line: 1, column: 1 } });
}

/** A mistake at which a text is not JSON. */
class SyntaxMistake extends Error {

    readonly index: number;

    constructor(message: string, index: number) {

        super(message);
        this.index = index;
    }
}

/** A string that JSON.parse rejects. */
class BrokenString extends Error {

    readonly start: number;
    readonly pointer: string;

    constructor(start: number, pointer: string) {

        super('a string that is no JSON');
        this.start = start;
        this.pointer = pointer;
    }
}

class ErrorLocator {

    readonly #text: string;
    readonly #maxDepth: number;
    #index = 0;

    constructor(text: string, maxDepth: number) {

        this.#text = text;
        this.#maxDepth = maxDepth;
    }

    /** Parses the whole text as one value. */
    document(): void {

        this.#value('', 0);
        this.#skipBlanks();
        if (this.#index < this.#text.length) {
            throw this.#unexpected('the end');
        }
    }

    #value(pointer: string, depth: number): string {

        this.#skipBlanks();
        const character = this.#text[this.#index];
        if (character === '{' || character === '[') {
            if (depth >= this.#maxDepth) {
                throw altered(`nested deeper than the allowed ${this.#maxDepth} levels`, pointer);
            }

            return character === '{' ? this.#object(pointer, depth + 1) : this.#array(pointer, depth + 1);
        }

        if (character === '"') {
            this.#string(pointer);
            return 'string';
        }

        return character === '-' || character !== undefined && /[0-9]/.test(character) ? this.#number(pointer) : this.#word();
    }

    /** Returns `prototype carrier` for an object with a property of that name. */
    #object(pointer: string, depth: number): string {

        const seen = new Set<string>();
        ++this.#index;
        if (!this.#closes('}')) {
            do {
                this.#property(pointer, depth, seen);
            }
            while (this.#continues('}', 'a comma or }'));
        }

        return seen.has('prototype') ? 'prototype carrier' : 'object';
    }

    #property(parent: string, depth: number, seen: Set<string>): void {

        this.#skipBlanks();
        if (this.#text[this.#index] !== '"') {
            throw this.#unexpected('a property name in double quotes');
        }

        const key = this.#string(parent);
        const pointer = childPointer(parent, key.length > MAX_POINTER_SHOWN ? key.slice(0, MAX_POINTER_SHOWN + 1) : key);
        this.#skipBlanks();
        if (this.#text[this.#index] !== ':') {
            throw this.#unexpected('a colon');
        }

        if (seen.has(key)) {
            throw altered('property occurs more than once', pointer);
        }

        seen.add(key);
        ++this.#index;
        const kind = this.#value(pointer, depth);
        if (key === '__proto__' || key === 'constructor' && kind === 'prototype carrier') {
            throw altered('property name is not allowed', pointer);
        }
    }

    #array(pointer: string, depth: number): string {

        ++this.#index;
        if (!this.#closes(']')) {
            let position = 0;
            do {
                this.#value(childPointer(pointer, position++), depth);
            }
            while (this.#continues(']', 'a comma or ]'));
        }

        return 'array';
    }

    /** Skips a string and returns its value. */
    #string(pointer: string): string {

        const start = this.#index;
        const end = closingQuote(this.#text, start) + 1;
        const token = this.#text.slice(start, end);
        let value: string;
        try {
            value = JSON.parse(token) as string;
        }
        catch {
            throw new BrokenString(start, pointer);
        }

        if (!value.isWellFormed() || !token.isWellFormed()) {
            throw altered('string contains an unpaired surrogate', pointer);
        }

        this.#index = end;
        return value;
    }

    #number(pointer: string): string {

        const pattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
        pattern.lastIndex = this.#index;
        const token = pattern.exec(this.#text)?.[0];
        if (token === undefined) {
            throw this.#unexpected('a number');
        }

        if (token.length > MAX_NUMBER_LENGTH) {
            throw altered(`number ${clipped(token)} has more than ${MAX_NUMBER_LENGTH} characters`, pointer);
        }

        if (!Number.isFinite(Number(token))) {
            throw altered(`number ${clipped(token)} is beyond the range of numbers`, pointer);
        }

        this.#index += token.length;
        return 'number';
    }

    #word(): string {

        for (const word of ['true', 'false', 'null']) {
            if (this.#text.startsWith(word, this.#index)) {
                this.#index += word.length;
                return word;
            }
        }

        throw this.#unexpected('a value');
    }

    #skipBlanks(): void {

        BLANKS.lastIndex = this.#index;
        BLANKS.test(this.#text);
        this.#index = BLANKS.lastIndex;
    }

    #closes(bracket: string): boolean {

        this.#skipBlanks();
        const isClosed = this.#text[this.#index] === bracket;
        this.#index += isClosed ? 1 : 0;
        return isClosed;
    }

    #continues(bracket: string, expected: string): boolean {

        if (this.#closes(bracket)) {
            return false;
        }

        if (this.#text[this.#index] !== ',') {
            throw this.#unexpected(expected);
        }

        ++this.#index;
        return true;
    }

    #unexpected(expected: string): SyntaxMistake {

        const found = this.#text.codePointAt(this.#index);
        const actual = found === undefined ? 'the text ends' : `got ${JSON.stringify(String.fromCodePoint(found))}`;
        return new SyntaxMistake(`expected ${expected}, ${actual}`, this.#index);
    }

}

const BLANKS = /[ \t\n\r]*/y;
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;
/** The characters of escapes without digits. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));

/** Finds the first error of a string. */
function *stringError(text: string, { start, pointer }: BrokenString): Steps<SyntaxMistake | DoipError> {

    for (let i = start + 1, pause = start + PER_STEP; i < text.length; ++i) {
        if (i > pause) {
            pause = i + PER_STEP;
            yield;
        }

        const code = text.charCodeAt(i);
        if (code < 0x20) {
            return new SyntaxMistake('control character inside a string', i);
        }

        if (code === BACKSLASH) {
            const unit = escapedUnit(text, i);
            if (unit < 0 && !SHORT_ESCAPES.has(text.charCodeAt(i + 1))) {
                return new SyntaxMistake('unknown escape inside a string', i);
            }

            const length = unit < FIRST_SURROGATE ? 2 : escapeLength(text, i);
            if (length < 0) {
                return altered('string contains an unpaired surrogate', pointer);
            }

            i += length - 1;
        }
    }

    return new SyntaxMistake('the string does not end', start);
}

/** Returns the error for a text that is not JSON. */
function *malformedAt(text: string, { index, message }: SyntaxMistake, name: string): Steps<DoipError> {

    const { line, column } = yield* positionOf(text, index);
    return badRequest(`${name} is malformed at line ${line}, column ${column}: ${message}`, { details: { line, column } });
}

/** Returns line and column, 1-based. */
function *positionOf(text: string, index: number): Steps<{ readonly line: number; readonly column: number }> {

    let line = 1;
    let nextStep = PER_STEP;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', start)) {
        ++line;
        start = end + 1;
        // Empty lines one by one, as a search costs far more than a comparison.
        const stop = Math.min(start + PER_STEP, index);
        for (; start < stop && text.charCodeAt(start) === LINE_FEED; ++start) {
            ++line;
        }

        if (line > nextStep) {
            nextStep = line + PER_STEP;
            yield;
        }
    }

    return { line, column: index - start + 1 };
}

/** The error for valid JSON that would not be returned as it was sent. */
function altered(message: string, pointer: string): DoipError {

    return invalidContent([{ pointer: shownPointer(pointer), message }]);
}

/** Cuts the text of a number. */
function clipped(text: string): string {

    return text.length <= MAX_NUMBER_SHOWN ? text : `${text.slice(0, MAX_NUMBER_SHOWN)}…`;
}
