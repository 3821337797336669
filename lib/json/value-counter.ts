/**
 * How many values a JSON text holds, before it is parsed: memory and time go by values rather than by bytes, and a text of a
 * megabyte may hold half a million of them.
 */

import { tooLarge } from '../errors/errors.js';
import { closingQuote } from './scanner.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** By which a brace differs from a bracket. */
const LOWER_BIT = 0x20;

/** One object gets this part of all values as its properties: very wide objects take several times as long as others. */
const SHARE_OF_OBJECT = 4;

/**
 * Requires that a text holds no more values than allowed, and no object with more than a quarter as many properties. An empty
 * array or object counts as two.
 */
export function checkValueCount(text: string, most: number, name: string): void {

    // A value takes two characters at least, its comma included, and a property more than twice as many.
    const fault = text.length > most ? new ValueCounter(text, most).fault() : null;
    if (fault !== null) {
        throw tooLarge(`${name} holds ${fault}`);
    }
}

class ValueCounter {

    readonly #text: string;
    readonly #most: number;
    /** Members so far of the arrays (below zero, not counted) and objects that are open. */
    readonly #open: number[] = [];
    #count = 1;

    constructor(text: string, most: number) {

        this.#text = text;
        this.#most = most;
    }

    /** What there is too much of; null when everything is allowed. */
    fault(): string | null {

        const text = this.#text;
        for (let i = 0; i < text.length; ++i) {
            const code = text.charCodeAt(i);
            if (code === QUOTE) {
                i = closingQuote(text, i);
            }
            else if (code === COMMA || (code | LOWER_BIT) === BRACE) {
                const fault = this.#take(code);
                if (fault !== null) {
                    return fault;
                }
            }
            else if ((code | LOWER_BIT) === CLOSING_BRACE) {
                this.#open.pop();
            }
        }

        return null;
    }

    #take(code: number): string | null {

        if (++this.#count > this.#most) {
            return `more than the allowed ${this.#most} values`;
        }

        const open = this.#open;
        if (code !== COMMA) {
            open.push(code === BRACE ? 1 : -Infinity);
            return null;
        }

        const members = (open.pop() ?? -Infinity) + 1;
        open.push(members);
        return members * SHARE_OF_OBJECT > this.#most ? `an object with more than the allowed ${Math.floor(this.#most / SHARE_OF_OBJECT)} properties` : null;
    }
}
