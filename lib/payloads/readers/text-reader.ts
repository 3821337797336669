/**
 * Interface of readers: they take bytes and write text into a sink, which limits its length.
 */

import { ByteBuffer } from '../../util/streams/byte-buffer.js';

/** An element has no searchable text; the message is the reason, for administrators. */
export class NoText extends Error {}

/** Limits of a reader. */
export interface ReadLimits {
    /** Maximum length of the text, in UTF-16 units. */
    readonly characters: number;
    /** Maximum number of bytes of formats that can only be read as a whole; limits what is unpacked from them as well. */
    readonly bytes: number;
}

/** Reads one element. */
export interface TextReader {
    /** Takes the next bytes; returns false when no more are needed. */
    push(bytes: Uint8Array): boolean;
    /** Writes the rest into the sink. Throws {@link NoText} when the bytes do not have the declared format. */
    finish(): Promise<void> | void;
}

/** Collects text; white space becomes single blanks. */
export class TextSink {

    readonly #max: number;
    #parts: string[] = [];
    #length = 0;

    constructor(max: number) {

        this.#max = max;
    }

    get isFull(): boolean {

        return this.#length >= this.#max;
    }

    add(text: string): void {

        if (this.isFull || text === '') {
            return;
        }

        const normalized = text.replace(/[\s\0]+/g, ' ');
        this.#parts.push(normalized);
        this.#length += normalized.length;
    }

    /** Returns the collected text. */
    text(): string {

        const all = this.#parts.join('').replace(/ {2,}/g, ' ').trim().slice(0, this.#max);
        // Lone surrogates come from cutting, or from wrong bytes.
        return all.toWellFormed();
    }
}

/** Collects the bytes of a format that cannot be read in chunks. */
export class WholeBytes {

    readonly #max: number;
    readonly #buffer: ByteBuffer;

    constructor(max: number) {

        this.#max = max;
        this.#buffer = new ByteBuffer(max);
    }

    push(bytes: Uint8Array): boolean {

        this.#buffer.add(bytes);
        if (this.#buffer.length > this.#max) {
            throw new NoText(`has more than ${this.#max} bytes`);
        }

        return true;
    }

    /** Returns all bytes, once. */
    take(): Buffer {

        return this.#buffer.finish().bytes ?? Buffer.alloc(0);
    }
}
