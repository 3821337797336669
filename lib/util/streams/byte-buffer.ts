/** Byte buffer for an item that spans several chunks of a stream. */

/** Collects bytes up to a limit; beyond it they are only counted. */
export class ByteBuffer {

    readonly #limit: number;
    #chunks: Uint8Array[] = [];
    #length = 0;

    constructor(limit: number) {

        this.#limit = limit;
    }

    get length(): number {

        return this.#length;
    }

    add(chunk: Uint8Array): void {

        this.#length += chunk.byteLength;
        if (this.#length > this.#limit) {
            this.#chunks = [];
        }
        else if (chunk.byteLength > 0) {
            this.#chunks.push(chunk);
        }
    }

    /** Returns and resets the bytes collected so far; null when the limit was exceeded. */
    finish(): { bytes: Buffer | null; length: number } {

        const [first] = this.#chunks;
        const length = this.#length;
        const bytes = length > this.#limit ? null :
            first && this.#chunks.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) :
                Buffer.concat(this.#chunks, length);
        this.#chunks = [];
        this.#length = 0;
        return { bytes, length };
    }
}
