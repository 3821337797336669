/**
 * Readers of plain text and of JSON.
 */

import { TextDecoding } from './charset.js';
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
            this.#walk(JSON.parse(text));
        }
        catch (error) {
            throw error instanceof SyntaxError || error instanceof RangeError ? new NoText('is not JSON') : error;
        }
    }

    /** Uses a stack of its own, because the nesting is not limited. */
    #walk(root: unknown): void {

        const waiting: unknown[] = [root];
        while (waiting.length > 0 && !this.#sink.isFull) {
            const value = waiting.pop();
            if (typeof value === 'object' && value !== null) {
                const inner: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
                for (let i = inner.length - 1; i >= 0; --i) {
                    waiting.push(inner[i]);
                }
            }
            else {
                this.#sink.add(`${String(value)} `);
            }
        }
    }
}
