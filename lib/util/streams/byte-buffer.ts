/** Byte buffer for an item that spans several chunks of a stream. */

/** Collects bytes up to a limit; beyond it they are only counted. */
export class ByteBuffer {

    readonly #limit: number;
    #pieces: Uint8Array[] = [];
    #length = 0;

    constructor(limit: number) {

        this.#limit = limit;
    }

    get length(): number {

        return this.#length;
    }

    add(piece: Uint8Array): void {

        this.#length += piece.byteLength;
        if (this.#length > this.#limit) {
            this.#pieces = [];
        }
        else if (piece.byteLength > 0) {
            this.#pieces.push(piece);
        }
    }

    /** Returns and resets the bytes collected so far; null when the limit was exceeded. */
    finish(): { bytes: Buffer | null; length: number } {

        const [first] = this.#pieces;
        const length = this.#length;
        const bytes = length > this.#limit ? null :
            first && this.#pieces.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) :
                Buffer.concat(this.#pieces, length);
        this.#pieces = [];
        this.#length = 0;
        return { bytes, length };
    }
}
