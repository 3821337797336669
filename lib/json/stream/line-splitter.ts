/** Extracts the lines of newline-delimited JSON from a stream. See `item-splitter.ts`. */

import type { JsonItem } from './array-splitter.js';
import { ByteBuffer } from '../../util/streams/byte-buffer.js';
import { isBlank } from './value-scanner.js';

const NEWLINE = 0x0a;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Splits text at its newlines; blank lines are left out. */
export class LineSplitter {

    readonly #maxItemBytes: number;
    readonly #buffer: ByteBuffer;
    #position = 0;
    #offset = 0;
    #isBlank = true;

    constructor(maxItemBytes: number) {

        this.#maxItemBytes = maxItemBytes;
        this.#buffer = new ByteBuffer(maxItemBytes);
    }

    /** Number of bytes in memory of the line that has not ended yet. */
    get held(): number {

        return this.#buffer.held;
    }

    /** Returns the lines that end in this chunk. Must be iterated to the end before the next chunk. */
    *split(chunk: Uint8Array): Generator<JsonItem> {

        let start = 0;
        for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
            this.#add(chunk.subarray(start, newline));
            yield *this.#line();
            start = newline + 1;
        }

        this.#add(chunk.subarray(start));
    }

    /** Returns the last line, which needs no newline. */
    end(): readonly JsonItem[] {

        return this.#line();
    }

    #add(part: Uint8Array): void {

        this.#buffer.add(part);
        this.#isBlank &&= isAllBlank(part);
    }

    #line(): readonly JsonItem[] {

        const offset = this.#offset;
        const isSkipped = this.#isBlank && this.#buffer.length <= this.#maxItemBytes;
        this.#offset += this.#buffer.length + 1;
        this.#isBlank = true;
        if (isSkipped) {
            this.#buffer.discard();
            return [];
        }

        const { bytes, length } = this.#buffer.finish();
        return offset === 0 && bytes?.equals(MARK) ? [] : [{ position: this.#position++, offset, length, bytes }];
    }
}

const NO_BLANK = /[^ \t\n\r]/;

function isAllBlank(bytes: Uint8Array): boolean {

    return isBlank(bytes[0] ?? 0x20) && !NO_BLANK.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
}
