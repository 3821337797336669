/**
 * Finds the end of a JSON value in a stream of bytes, by brackets and strings only; the parser validates the value.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns whether a byte is white space of JSON. */
export function isBlank(byte: number): boolean {

    return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Scans values one after the other. */
export class ValueScanner {

    #depth = 0;
    #inString = false;
    /** The last byte of the previous chunk was a backslash that escapes the first byte of this one. */
    #escaped = false;
    #isFirst = true;

    /** Starts a value at the next byte. */
    begin(): void {

        this.#depth = 0;
        this.#inString = false;
        this.#escaped = false;
        this.#isFirst = true;
    }

    /** Returns the index after the value that continues at `start`; -1 when it does not end in this chunk. */
    scan(chunk: Uint8Array, start: number): number {

        let i = start;
        while (i < chunk.byteLength) {
            if (this.#inString) {
                i = this.#stringEnd(chunk, i);
                if (i === -1) {
                    return -1;
                }

                if (this.#depth === 0) {
                    return i;
                }
            }

            const end = this.#structure(chunk, i);
            if (end !== GO_ON) {
                return end;
            }

            i = this.#at;
        }

        return -1;
    }

    /** Index at which {@link #structure} stopped. */
    #at = 0;

    /** Scans outside of strings: returns the end of the value, -1 at the end of the chunk, or GO_ON at the start of a string. */
    #structure(chunk: Uint8Array, start: number): number {

        for (let i = start; i < chunk.byteLength; ++i) {
            const byte = chunk[i] ?? 0;
            if (byte === QUOTE) {
                if (this.#depth === 0 && !this.#isFirst) {
                    return i;                               // After a bare word: not part of it
                }

                this.#isFirst = false;
                this.#inString = true;
                this.#at = i + 1;
                return GO_ON;
            }

            if (byte === 0x7b || byte === 0x5b) {           // { [
                ++this.#depth;
            }
            else if (byte === 0x7d || byte === 0x5d) {      // } ]
                if (this.#depth === 0) {
                    return i;                               // After a bare word
                }

                if (--this.#depth === 0) {
                    return i + 1;
                }
            }
            else if (this.#depth === 0 && !this.#isFirst && (byte === 0x2c || byte === 0x3a || isBlank(byte))) {
                return i;
            }

            this.#isFirst = false;
        }

        return -1;
    }

    /** Returns the index after the closing quote, -1 when it is not in this chunk. */
    #stringEnd(chunk: Uint8Array, start: number): number {

        let i = start;
        if (this.#escaped) {
            this.#escaped = false;
            ++i;
        }

        const quote = chunk.indexOf(QUOTE, i);
        const before = quote === -1 ? chunk.byteLength : quote;
        if (before > i && chunk[before - 1] === BACKSLASH) {
            return this.#stringEndAfterEscapes(chunk, i);
        }

        this.#inString = quote === -1;
        return quote === -1 ? -1 : quote + 1;
    }

    #stringEndAfterEscapes(chunk: Uint8Array, start: number): number {

        for (let i = start; i < chunk.byteLength; ++i) {
            const byte = chunk[i];
            if (byte === QUOTE) {
                this.#inString = false;
                return i + 1;
            }

            if (byte === BACKSLASH) {
                ++i;
                this.#escaped = i === chunk.byteLength;
            }
        }

        return -1;
    }
}

const GO_ON = -2;
