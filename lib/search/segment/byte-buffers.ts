/**
 * Growing buffers for writing segments, and comparing bytes.
 */

/** Growing byte buffer, with variable-length integers (LEB128: 7 bits a byte, lowest first). */
export class ByteWriter {

    #bytes: Uint8Array;
    length = 0;

    constructor(capacity = 256) {

        this.#bytes = new Uint8Array(capacity);
    }

    /**
     * @param value integer from 0 to 2^32 - 1
     */
    varint(value: number): void {

        this.#reserve(5);
        const bytes = this.#bytes;
        let rest = value;
        while (rest > 127) {
            bytes[this.length++] = rest & 127 | 128;
            rest >>>= 7;
        }

        bytes[this.length++] = rest;
    }

    byte(value: number): void {

        this.#reserve(1);
        this.#bytes[this.length++] = value;
    }

    append(bytes: Uint8Array): void {

        this.#reserve(bytes.length);
        this.#bytes.set(bytes, this.length);
        this.length += bytes.length;
    }

    /** Pads with zeros to a multiple of `size`. */
    align(size: number): void {

        const missing = (size - this.length % size) % size;
        this.#reserve(missing);
        this.#bytes.fill(0, this.length, this.length + missing);
        this.length += missing;
    }

    /** Returns a copy of the contents in shared memory. */
    finish(): Uint8Array {

        return shared(this.#bytes.subarray(0, this.length));
    }

    /** Returns the contents without a copy; valid until the next write. */
    view(): Uint8Array {

        return this.#bytes.subarray(0, this.length);
    }

    clear(): void {

        this.length = 0;
    }

    #reserve(count: number): void {

        if (this.length + count > this.#bytes.length) {
            const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + count));
            larger.set(this.#bytes.subarray(0, this.length));
            this.#bytes = larger;
        }
    }
}

/** Growing array of numbers. */
export class NumberWriter {

    #numbers: Uint32Array | Float64Array;
    length = 0;

    constructor(kind: 'uint32' | 'float64', capacity = 64) {

        this.#numbers = kind === 'uint32' ? new Uint32Array(capacity) : new Float64Array(capacity);
    }

    push(value: number): void {

        if (this.length === this.#numbers.length) {
            const larger = this.#numbers instanceof Uint32Array ? new Uint32Array(this.length * 2) : new Float64Array(this.length * 2);
            larger.set(this.#numbers);
            this.#numbers = larger;
        }

        this.#numbers[this.length++] = value;
    }

    /** Returns the contents without a copy; valid until the next write. */
    view(): Uint32Array | Float64Array {

        return this.#numbers.subarray(0, this.length);
    }

    /** Returns a copy of the contents in shared memory. */
    finish(): Uint8Array {

        const { buffer, BYTES_PER_ELEMENT } = this.#numbers;
        return shared(new Uint8Array(buffer, 0, this.length * BYTES_PER_ELEMENT));
    }

    /** Like {@link finish}, with two bytes for each number; for numbers below 65536. */
    finishNarrow(): Uint8Array {

        return shared(new Uint8Array(Uint16Array.from(this.#numbers.subarray(0, this.length)).buffer));
    }
}

/** Copies bytes to shared memory, which threads can use without another copy. */
export function shared(bytes: Uint8Array): Uint8Array {

    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    return copy;
}

const encoder = new TextEncoder();

/** Encodes as UTF-8. */
export function encodeText(text: string): Uint8Array {

    return encoder.encode(text);
}

/** Cache for texts that are looked up in every segment and search, such as field names; cleared when full. */
const ENCODED = new Map<string, Uint8Array>();
const MAX_INTERNED = 1000;
const MAX_INTERNED_LENGTH = 100;

/** Like {@link encodeText}, cached: the result must not be modified. */
export function encodeCached(text: string): Uint8Array {

    const cached = ENCODED.get(text);
    if (cached) {
        return cached;
    }

    const bytes = encoder.encode(text);
    if (text.length <= MAX_INTERNED_LENGTH) {
        if (ENCODED.size === MAX_INTERNED) {
            ENCODED.clear();
        }

        ENCODED.set(text, bytes);
    }

    return bytes;
}

/** Decodes a range of UTF-8 through a Buffer, because TextDecoder rejects shared memory. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {

    return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** Compares bytes, unsigned; for UTF-8 that is the order of code points. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {

    const length = Math.min(a.length, b.length);
    for (let i = 0; i < length; ++i) {
        const difference = (a[i] ?? 0) - (b[i] ?? 0);
        if (difference !== 0) {
            return difference;
        }
    }

    return a.length - b.length;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Compares texts in the order in which {@link compareBytes} has their UTF-8. */
export function compareUnicode(a: string, b: string): number {

    if (a === b) {
        return 0;
    }

    // In UTF-16, characters beyond U+FFFF sort before some below it, as surrogates do.
    if (SURROGATE.test(a) || SURROGATE.test(b)) {
        return compareBytes(encodeText(a), encodeText(b));
    }

    return a < b ? -1 : 1;
}
