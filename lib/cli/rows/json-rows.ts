/** Rows of JSON: the elements of an array, or of `results` in an object; or one value per line (NDJSON). One row at a time is in memory. */

import { DoipError } from '../../errors/errors.js';
import { jsonItems } from '../../json/stream/item-splitter.js';
import { parseJson } from '../../json/strict-parser.js';
import { FormatError, type Row } from './row.js';

/** Maximum length of a row, in bytes. */
const MAX_ROW_BYTES = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Iterates over the rows. @throws FormatError where an array is malformed */
export async function *jsonRows(body: AsyncIterable<Uint8Array>, format: 'json' | 'ndjson'): AsyncGenerator<Row, void, undefined> {

    const counter = new LineCounter();
    try {
        for await (const { bytes, offset } of jsonItems(counter.of(body), { format, maxItemBytes: MAX_ROW_BYTES })) {
            yield rowOf(counter.lineAt(offset), bytes);
        }
    }
    catch (error) {
        if (!(error instanceof DoipError)) {
            throw error;
        }

        const { offset } = error.details;
        throw new FormatError(`${typeof offset === 'number' ? `line ${counter.lineAt(offset)}: ` : ''}${error.message}`, { cause: error });
    }
}

function rowOf(line: number, bytes: Uint8Array | null): Row {

    if (!bytes) {
        return { line, error: `it is longer than ${MAX_ROW_BYTES} bytes` };
    }

    try {
        return { line, value: parseJson(bytes) };
    }
    catch (error) {
        return { line, error: (error as Error).message };
    }
}

/** Finds the lines of offsets, which are asked for in their order. */
class LineCounter {

    /** Offsets of newlines; those before `#next` are passed. */
    #newlines: number[] = [];
    #next = 0;
    #line = 1;
    #offset = 0;

    /** Passes the bytes through. */
    async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {

        for await (const chunk of body) {
            for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
                this.#newlines.push(this.#offset + at);
            }

            this.#offset += chunk.byteLength;
            yield chunk;
        }
    }

    lineAt(offset: number): number {

        while ((this.#newlines[this.#next] ?? offset) < offset) {
            this.#next += 1;
            this.#line += 1;
        }

        // Not at each row: the rest would be moved, whose length is that of a chunk of the file.
        if (this.#next > this.#newlines.length / 2) {
            this.#newlines = this.#newlines.slice(this.#next);
            this.#next = 0;
        }

        return this.#line;
    }
}
