/**
 * Splits a long JSON text into items while it arrives: the elements of an array, the elements of `results` in an object, or the
 * lines of newline-delimited JSON. Only one item is in memory at a time, as bytes, to be parsed by the caller. Syntax is checked
 * outside of the items only.
 */

import { ByteBuffer } from '../../util/streams/byte-buffer.js';
import { ArraySplitter } from './array-splitter.js';
import { isBlank } from './value-scanner.js';
import type { JsonItem, JsonSplitter } from './splitter.js';

/** Options for splitting. */
export interface JsonItemsOptions {
    /** `json`: an array, or an object with the array `results`. `ndjson`: one value per line; blank lines are ignored. */
    readonly format: 'json' | 'ndjson';
    /** Maximum length of an item, in bytes; longer ones are skipped and reported without bytes. */
    readonly maxItemBytes: number;
}

/**
 * Iterates over the items of a text.
 *
 * @throws DoipError 400 with `offset` (bytes) where the text does not have its format, after all items before that place
 */
export async function *jsonItems(body: AsyncIterable<Uint8Array>, { format, maxItemBytes }: JsonItemsOptions): AsyncGenerator<JsonItem> {

    const splitter: JsonSplitter = format === 'ndjson' ? new LineSplitter(maxItemBytes) : new ArraySplitter(maxItemBytes);
    for await (const chunk of body) {
        yield *splitter.split(chunk);
    }

    yield *splitter.end();
}

const NEWLINE = 0x0a;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Lines; the last one needs no newline. */
class LineSplitter implements JsonSplitter {

    readonly #buffer: ByteBuffer;
    #position = 0;
    #offset = 0;

    constructor(maxItemBytes: number) {

        this.#buffer = new ByteBuffer(maxItemBytes);
    }

    *split(chunk: Uint8Array): Generator<JsonItem> {

        let start = 0;
        let newline = chunk.indexOf(NEWLINE);
        while (newline !== -1) {
            this.#buffer.add(chunk.subarray(start, newline));
            yield *this.#line(1);
            start = newline + 1;
            newline = chunk.indexOf(NEWLINE, start);
        }

        this.#buffer.add(chunk.subarray(start));
    }

    *end(): Generator<JsonItem> {

        yield *this.#line(0);
    }

    *#line(newline: number): Generator<JsonItem> {

        const offset = this.#offset;
        const { bytes, length } = this.#buffer.finish();
        this.#offset += length + newline;
        if (bytes === null || !bytes.every(isBlank) && !(offset === 0 && bytes.equals(MARK))) {
            yield { position: this.#position++, offset, length, bytes };
        }
    }
}
