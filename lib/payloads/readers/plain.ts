/**
 * Readers of plain text and of JSON.
 */

import { searchableTexts } from '../../json/exact-numbers.js';
import { MAX_NUMBER_LENGTH } from '../../json/scanner.js';
import { TextDecoding } from './charset.js';
import { jsonTokens } from './json-tokens.js';
import { NoText, WholeBytes } from './text-reader.js';
import type { ReadLimits, TextReader, TextSink } from './text-reader.js';

/** Reads text unchanged. */
export class PlainReader implements TextReader {

    readonly #decoding: TextDecoding;
    readonly #sink: TextSink;

    constructor(charset: string | null, sink: TextSink) {

        this.#decoding = new TextDecoding(charset);
        this.#sink = sink;
    }

    push(bytes: Uint8Array): boolean {

        this.#sink.add(this.#decoding.write(bytes));
        return !this.#sink.isFull;
    }

    finish(): void {

        this.#sink.add(this.#decoding.end());
    }
}

/** Reads names and values of JSON. */
export class JsonReader implements TextReader {

    readonly #bytes: WholeBytes;
    readonly #charset: string | null;
    readonly #sink: TextSink;

    constructor(charset: string | null, limits: ReadLimits, sink: TextSink) {

        this.#bytes = new WholeBytes(limits.bytes);
        this.#charset = charset;
        this.#sink = sink;
    }

    push(bytes: Uint8Array): boolean {

        return this.#bytes.push(bytes);
    }

    finish(): void {

        const decoding = new TextDecoding(this.#charset);
        const text = decoding.write(this.#bytes.take()) + decoding.end();
        try {
            for (const [token, isString] of jsonTokens(text)) {
                this.#sink.add(`${isString ? token : textOf(token)} `);
            }
        }
        catch (error) {
            throw error instanceof SyntaxError ? new NoText('is not JSON') : error;
        }
    }
}

/** A number is found in the form in which it is there, and in its usual one. */
function textOf(literal: string): string {

    return /^[\d-]/.test(literal) ? searchableTexts(Number(literal), literal.length > MAX_NUMBER_LENGTH ? undefined : literal).join(' ') : literal;
}
