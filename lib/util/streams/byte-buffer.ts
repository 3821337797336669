/** Byte buffer for an item that spans several chunks of a stream. */

/** Length below which chunks are copied together: each takes some hundred bytes for itself, and clients may send one octet in each. */
const SMALL_BYTES = 1024;

/** Number of small chunks that are kept until they are copied. */
const MAX_SMALL = 256;

/** Collects bytes up to a limit; beyond it they are only counted. */
export class ByteBuffer {

    readonly #limit: number;
    #chunks: Uint8Array[] = [];
    /** Number of small chunks at the end of the list. */
    #small = 0;
    #length = 0;

    constructor(limit: number) {

        this.#limit = limit;
    }

    get length(): number {

        return this.#length;
    }

    /** Number of bytes in memory. */
    get held(): number {

        return this.#length > this.#limit ? 0 : this.#length;
    }

    add(chunk: Uint8Array): void {

        this.#length += chunk.byteLength;
        if (this.#length > this.#limit) {
            this.#chunks = [];
            this.#small = 0;
        }
        else if (chunk.byteLength > 0) {
            this.#chunks.push(chunk);
            this.#small = chunk.byteLength < SMALL_BYTES ? this.#small + 1 : 0;
            if (this.#small === MAX_SMALL) {
                this.#chunks.push(Buffer.concat(this.#chunks.splice(-MAX_SMALL)));
                this.#small = 0;
            }
        }
    }

    /** Returns and resets the bytes collected so far; null when the limit was exceeded. */
    finish(): { bytes: Buffer | null; length: number } {

        const [first] = this.#chunks;
        const length = this.#length;
        const bytes = length > this.#limit ? null :
            first && this.#chunks.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) :
                Buffer.concat(this.#chunks, length);
        this.discard();
        return { bytes, length };
    }

    /** Resets the bytes collected so far. */
    discard(): void {

        this.#chunks = [];
        this.#small = 0;
        this.#length = 0;
    }
}
