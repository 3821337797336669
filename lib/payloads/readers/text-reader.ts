/**
 * What reading the text of an element is made of: readers take bytes and put text into a sink, which takes no more than is wanted.
 */

/** Why an element has no text that could be searched, in words for whoever looks after the service. */
export class NoText extends Error {}

/** How much may be read. */
export interface ReadLimits {
    /** UTF-16 units of text that are kept. */
    readonly characters: number;
    /** Bytes of formats that can only be read as a whole, and of what is packed in them. */
    readonly bytes: number;
}

/** Reads one element. */
export interface TextReader {
    /** Takes the next bytes; false when no more are wanted. */
    push(bytes: Uint8Array): boolean;
    /** Puts all that is left into the sink. Throws {@link NoText} when the bytes are not what they were said to be. */
    finish(): Promise<void> | void;
}

/** Gathers text; blanks and line ends become single blanks. */
export class TextSink {

    readonly #most: number;
    #parts: string[] = [];
    #length = 0;

    constructor(most: number) {

        this.#most = most;
    }

    get isFull(): boolean {

        return this.#length >= this.#most;
    }

    add(text: string): void {

        if (this.isFull || text === '') {
            return;
        }

        const tidy = text.replace(/[\s\0]+/g, ' ');
        this.#parts.push(tidy);
        this.#length += tidy.length;
    }

    /** What was gathered. */
    text(): string {

        const all = this.#parts.join('').replace(/ {2,}/g, ' ').trim().slice(0, this.#most);
        // Half a letter at the cut, or from wrong bytes, is no letter.
        return all.toWellFormed();
    }
}

/** Gathers the bytes of a format that cannot be read in pieces. */
export class WholeBytes {

    readonly #most: number;
    #parts: Uint8Array[] = [];
    #length = 0;

    constructor(most: number) {

        this.#most = most;
    }

    push(bytes: Uint8Array): boolean {

        this.#length += bytes.length;
        if (this.#length > this.#most) {
            this.#parts = [];
            throw new NoText(`has more than ${this.#most} bytes`);
        }

        this.#parts.push(bytes);
        return true;
    }

    /** All of them, once. */
    take(): Buffer {

        const all = Buffer.concat(this.#parts, this.#length);
        this.#parts = [];
        return all;
    }
}
