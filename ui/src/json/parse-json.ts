/** Parses JSON with exact numbers, and tells where it is faulty. As strict as the service: a property that occurs twice is an error. */

import { define, numberOf } from './exact-number.js';
import type { Json } from './exact-number.js';

/** Nesting that is read: more than the service stores. */
const MAX_DEPTH = 500;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const LITERALS = [['true', true], ['false', false], ['null', null]] as const;

/** What is wrong. */
export type JsonFault = 'end' | 'value' | 'name' | 'colon' | 'comma' | 'string' | 'duplicate' | 'depth' | 'rest';

/** A syntax error: offset 0-based, line and column 1-based. */
export class JsonSyntaxError extends Error {

    readonly fault: JsonFault;
    readonly offset: number;
    readonly line: number;
    readonly column: number;

    constructor(text: string, offset: number, fault: JsonFault) {

        const before = text.slice(0, offset);
        const line = before.split('\n').length;
        const column = offset - before.lastIndexOf('\n');
        super(`line ${line}, column ${column}: ${fault}`);
        this.fault = fault;
        this.offset = offset;
        this.line = line;
        this.column = column;
    }
}

/** Parses a text. @throws JsonSyntaxError */
export function parseJson(text: string): Json {

    return new Parser(text).parse();
}

class Parser {

    readonly #text: string;
    #at = 0;
    #depth = 0;

    constructor(text: string) {

        this.#text = text;
    }

    parse(): Json {

        if (this.#text.charCodeAt(0) === 0xfeff) {
            this.#at = 1;
        }

        const value = this.#value();
        this.#skipSpace();
        if (this.#at < this.#text.length) {
            throw this.#error('rest');
        }

        return value;
    }

    #error(fault: JsonFault, offset = this.#at): JsonSyntaxError {

        return new JsonSyntaxError(this.#text, offset, offset >= this.#text.length ? 'end' : fault);
    }

    #skipSpace(): void {

        for (;;) {
            const code = this.#text.charCodeAt(this.#at);
            if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
                return;
            }

            this.#at += 1;
        }
    }

    #value(): Json {

        this.#skipSpace();
        switch (this.#text[this.#at]) {
            case '{': {
                return this.#nested(() => this.#object());
            }

            case '[': {
                return this.#nested(() => this.#array());
            }

            case '"': {
                return this.#string();
            }

            default: {
                return this.#scalar();
            }
        }
    }

    #nested(read: () => Json): Json {

        this.#depth += 1;
        if (this.#depth > MAX_DEPTH) {
            throw this.#error('depth');
        }

        this.#at += 1;
        const value = read();
        this.#depth -= 1;
        return value;
    }

    #scalar(): Json {

        for (const [literal, value] of LITERALS) {
            if (this.#text.startsWith(literal, this.#at)) {
                this.#at += literal.length;
                return value;
            }
        }

        NUMBER.lastIndex = this.#at;
        const number = NUMBER.exec(this.#text)?.[0];
        if (number === undefined) {
            throw this.#error('value');
        }

        this.#at += number.length;
        return numberOf(number);
    }

    #string(): string {

        const start = this.#at;
        let end = this.#text.indexOf('"', start + 1);
        while (end !== -1 && this.#isEscaped(end, start)) {
            end = this.#text.indexOf('"', end + 1);
        }

        if (end === -1) {
            throw this.#error('string', start);
        }

        this.#at = end + 1;
        try {
            return JSON.parse(this.#text.slice(start, this.#at)) as string;
        }
        catch {
            throw this.#error('string', start);
        }
    }

    #isEscaped(quote: number, start: number): boolean {

        let first = quote;
        while (first - 1 > start && this.#text[first - 1] === '\\') {
            first -= 1;
        }

        return (quote - first) % 2 === 1;
    }

    #object(): Json {

        const object: Record<string, Json> = {};
        this.#skipSpace();
        if (this.#take('}')) {
            return object;
        }

        do {
            this.#skipSpace();
            const start = this.#at;
            if (this.#text[start] !== '"') {
                throw this.#error('name');
            }

            const name = this.#string();
            if (Object.hasOwn(object, name)) {
                throw this.#error('duplicate', start);
            }

            this.#skipSpace();
            if (!this.#take(':')) {
                throw this.#error('colon');
            }

            define(object, name, this.#value());
            this.#skipSpace();
        } while (this.#take(','));

        if (!this.#take('}')) {
            throw this.#error('comma');
        }

        return object;
    }

    #array(): Json {

        const array: Json[] = [];
        this.#skipSpace();
        if (this.#take(']')) {
            return array;
        }

        do {
            array.push(this.#value());
            this.#skipSpace();
        } while (this.#take(','));

        if (!this.#take(']')) {
            throw this.#error('comma');
        }

        return array;
    }

    #take(token: string): boolean {

        const isThere = this.#text[this.#at] === token;
        this.#at += isThere ? 1 : 0;
        return isThere;
    }
}
