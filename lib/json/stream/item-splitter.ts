/**
 * Splits a long JSON text into items while it arrives: the elements of an array, the elements of `results` in an object, or the
 * lines of newline-delimited JSON. Only one item is in memory at a time, as bytes, to be parsed by the caller. Syntax is checked
 * outside of the items only.
 */

import { ByteBuffer } from '../../util/streams/byte-buffer.js';
import { ArraySplitter } from './array-splitter.js';
import type { JsonItem } from './array-splitter.js';
import { isBlank } from './value-scanner.js';

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
export function jsonItems(body: AsyncIterable<Uint8Array>, { format, maxItemBytes }: JsonItemsOptions): AsyncGenerator<JsonItem> {

    return format === 'ndjson' ? lines(body, maxItemBytes) : elements(body, maxItemBytes);
}

async function *elements(body: AsyncIterable<Uint8Array>, maxItemBytes: number): AsyncGenerator<JsonItem> {

    const splitter = new ArraySplitter(maxItemBytes);
    for await (const chunk of body) {
        yield *splitter.split(chunk);
    }

    splitter.end();
}

const NEWLINE = 0x0a;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Lines; the last one needs no newline. */
async function *lines(body: AsyncIterable<Uint8Array>, maxItemBytes: number): AsyncGenerator<JsonItem> {

    const buffer = new ByteBuffer(maxItemBytes);
    let position = 0;
    let offset = 0;
    const line = (): JsonItem[] => {

        const start = offset;
        const { bytes, length } = buffer.finish();
        offset += length + 1;
        const isItem = bytes === null || !bytes.every(isBlank) && !(start === 0 && bytes.equals(MARK));
        return isItem ? [{ position: position++, offset: start, length, bytes }] : [];
    };

    for await (const chunk of body) {
        let start = 0;
        for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
            buffer.add(chunk.subarray(start, newline));
            yield *line();
            start = newline + 1;
        }

        buffer.add(chunk.subarray(start));
    }

    yield *line();
}
