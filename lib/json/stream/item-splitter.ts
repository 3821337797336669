/**
 * Splits a long JSON text into items while it arrives: the elements of an array, the elements of `results` in an object, or the
 * lines of newline-delimited JSON. Only one item is in memory at a time, as bytes, to be parsed by the caller. Syntax is checked
 * outside of the items only.
 */

import { ByteBuffer } from '../../util/streams/byte-buffer.js';
import { ArraySplitter } from './array-splitter.js';
import type { ArrayLimits, JsonItem } from './array-splitter.js';
import { isBlank } from './value-scanner.js';

/** Options for splitting. */
export interface JsonItemsOptions extends ArrayLimits {
    /** `json`: an array, or an object with the array `results`. `ndjson`: one value per line; blank lines are ignored. */
    readonly format: 'json' | 'ndjson';
}

/**
 * Iterates over the items of a text.
 *
 * @throws DoipError 400 with `offset` (bytes) where the text does not have its format, after all items before that place
 */
export function jsonItems(body: AsyncIterable<Uint8Array>, { format, ...limits }: JsonItemsOptions): AsyncGenerator<JsonItem> {

    return format === 'ndjson' ? lines(body, limits.maxItemBytes) : elements(body, limits);
}

async function *elements(body: AsyncIterable<Uint8Array>, limits: ArrayLimits): AsyncGenerator<JsonItem> {

    const splitter = new ArraySplitter(limits);
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
    let isBlankLine = true;
    const add = (part: Uint8Array): void => {

        buffer.add(part);
        isBlankLine &&= isAllBlank(part);
    };

    const line = (): JsonItem[] => {

        const start = offset;
        const isSkipped = isBlankLine && buffer.length <= maxItemBytes;
        offset += buffer.length + 1;
        isBlankLine = true;
        if (isSkipped) {
            buffer.discard();
            return [];
        }

        const { bytes, length } = buffer.finish();
        return start === 0 && bytes?.equals(MARK) ? [] : [{ position: position++, offset: start, length, bytes }];
    };

    for await (const chunk of body) {
        let start = 0;
        for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
            add(chunk.subarray(start, newline));
            yield *line();
            start = newline + 1;
        }

        add(chunk.subarray(start));
    }

    yield *line();
}

const NO_BLANK = /[^ \t\n\r]/;

function isAllBlank(bytes: Uint8Array): boolean {

    return isBlank(bytes[0] ?? 0x20) && !NO_BLANK.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
}
