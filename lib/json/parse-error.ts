/**
 * Finds the first error in JSON text that `strict-parser.ts` rejected: a strict parser, slower than JSON.parse, and never used for
 * valid texts.
 */

import { badRequest, DoipError, invalidContent } from '../errors/errors.js';
import { childPointer } from './pointer.js';
import { escapeLength, MAX_NUMBER_LENGTH } from './scanner.js';

const MAX_POINTER_SHOWN = 200;

/** Returns the error for the first mistake in a text. */
export function explainError(text: string, maxDepth: number, name: string): DoipError {

    try {
        new ErrorLocator(text, maxDepth, name).document();
    }
    catch (error) {
        if (error instanceof DoipError) {
            return error;
        }

        throw error;
    }

    return badRequest(`${name} is malformed`, { details: { line: 1, column: 1 } });
}

class ErrorLocator {

    readonly #text: string;
    readonly #maxDepth: number;
    readonly #name: string;
    #index = 0;

    constructor(text: string, maxDepth: number, name: string) {

        this.#text = text;
        this.#maxDepth = maxDepth;
        this.#name = name;
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
        const pointer = childPointer(parent, key);
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

        const start = this.#index++;
        for (;;) {
            const character = this.#text[this.#index];
            if (character === undefined) {
                throw this.#malformed('the string does not end', start);
            }

            if (character < ' ') {
                throw this.#malformed('control character inside a string', this.#index);
            }

            if (character === '"') {
                ++this.#index;
                return this.#decoded(start, pointer);
            }

            this.#index += character === '\\' ? this.#escape(pointer) : 1;
        }
    }

    #escape(pointer: string): number {

        if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.#text.slice(this.#index, this.#index + 6))) {
            throw this.#malformed('unknown escape inside a string', this.#index);
        }

        const length = escapeLength(this.#text, this.#index);
        if (length < 0) {
            throw altered('string contains an unpaired surrogate', pointer);
        }

        return length;
    }

    #decoded(start: number, pointer: string): string {

        const value = JSON.parse(this.#text.slice(start, this.#index)) as string;
        if (!value.isWellFormed()) {
            throw altered('string contains an unpaired surrogate', pointer);
        }

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
            throw altered(`number ${clipped(token, 60)} has more than ${MAX_NUMBER_LENGTH} characters`, pointer);
        }

        if (!Number.isFinite(Number(token))) {
            throw altered(`number ${clipped(token, 60)} is beyond the range of numbers`, pointer);
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

        while (BLANKS.has(this.#text.charCodeAt(this.#index))) {
            ++this.#index;
        }
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

    #unexpected(expected: string): DoipError {

        const found = this.#text.codePointAt(this.#index);
        const actual = found === undefined ? 'the text ends' : `got ${JSON.stringify(String.fromCodePoint(found))}`;
        return this.#malformed(`expected ${expected}, ${actual}`, this.#index);
    }

    /** The error for a text that is not JSON. */
    #malformed(message: string, index: number): DoipError {

        const { line, column } = positionOf(this.#text, index);
        return badRequest(`${this.#name} is malformed at line ${line}, column ${column}: ${message}`, { details: { line, column } });
    }
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Returns line and column, 1-based. */
function positionOf(text: string, index: number): { line: number; column: number } {

    const before = text.slice(0, index).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The error for valid JSON that would not be returned as it was sent. */
function altered(message: string, pointer: string): DoipError {

    return invalidContent([{ pointer: clipped(pointer, MAX_POINTER_SHOWN), message }]);
}

/** Cuts a text without splitting a surrogate pair. */
function clipped(text: string, length: number): string {

    return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
