/**
 * Framing of incoming messages (DOIP 2.0, sections on messages and segments): a message is a sequence of segments and an end, a segment is
 * JSON text up to a line that begins with `#`, or a list of chunks of bytes with their lengths. Everything is streamed: the reader holds no
 * more than the part that has just arrived.
 */

import { badRequest, type DoipError } from '../../errors/errors.js';
import { ByteReader, Octet } from './byte-reader.js';
import type { Readable } from 'node:stream';

/** A segment as it arrives. Its body must be read to its end, or {@link MessageReader.nextSegment} does. */
export interface RawSegment {
    readonly kind: 'json' | 'bytes';
    /** JSON text as UTF-8, as it was sent, or the bytes without their framing. */
    readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/** Maximum number of digits of the length of a chunk. */
const MAX_DIGITS = 9;

/** Maximum number of blanks and line ends before a segment. */
const MAX_BLANKS = 65_536;

/** Maximum number of blanks at the end of a line: bytes between them are kept in memory with what has arrived around them. */
const MAX_LINE_BLANKS = 1024;

const LINE_END = Buffer.from('\n');

/** Reads the messages of a connection. After an error of the framing nothing more can be read from it. */
export class MessageReader {

    readonly #bytes: ByteReader;
    #open: AsyncGenerator<Buffer, void, undefined> | null = null;
    #isInMessage = false;
    #isBroken = false;

    constructor(stream: Readable) {

        this.#bytes = new ByteReader(stream);
    }

    /** True once the framing was violated, or the stream ended within a message: where the next message begins is not known. */
    get isBroken(): boolean {

        return this.#isBroken;
    }

    /** True while the reader waits for the sender. */
    get isWaiting(): boolean {

        return this.#bytes.isWaiting;
    }

    /** Ends the read in progress, and all later ones, with an error. */
    fail(error: Error): void {

        this.#isBroken = true;
        this.#bytes.fail(error);
    }

    /**
     * Waits for the first octet of a message; false when the sender has closed the connection instead.
     *
     * @throws DoipError if what arrives belongs to another protocol
     */
    async nextMessage(): Promise<boolean> {

        const first = await this.#nextOctet();
        if (first === -1) {
            return false;
        }

        this.#isInMessage = true;
        if (first !== Octet.hash && first !== Octet.at && !STARTS_JSON.has(first)) {
            throw this.#broken('this is not a DOIP message: the first segment must be a JSON object');
        }

        return true;
    }

    /**
     * Returns the next segment of a message; null after its last one. What was not read of the segment before is discarded.
     *
     * @throws DoipError 101 for broken framing
     */
    async nextSegment(): Promise<RawSegment | null> {

        const open = this.#open;
        if (open) {
            for await (const part of open) {
                void part;
            }

            this.#open = null;
        }

        if (!this.#isInMessage) {
            return null;
        }

        const first = await this.#nextOctet();
        if (first === -1) {
            throw this.#cut();
        }

        if (first === Octet.hash) {
            this.#bytes.skip();
            await this.#endLine();
            this.#isInMessage = false;
            return null;
        }

        const kind = first === Octet.at ? 'bytes' : 'json';
        const body = kind === 'bytes' ? this.#chunks() : this.#text();
        this.#open = body;
        return { kind, body: shielded(body) };
    }

    /** JSON text, up to a `#` that follows a line end directly: JSON itself cannot contain one. */
    async *#text(): AsyncGenerator<Buffer, void, undefined> {

        // The line end before the mark is not part of the text.
        let isAfterLine = false;
        for (;;) {
            const next = await this.#bytes.peek();
            if (next === -1) {
                throw this.#cut();
            }

            if (isAfterLine && next === Octet.hash) {
                this.#bytes.skip();
                await this.#endLine();
                return;
            }

            if (isAfterLine) {
                yield LINE_END;
            }

            const part = this.#bytes.take();
            const end = part.indexOf('\n#');
            if (end !== -1) {
                this.#bytes.putBack(part.length - end - 1);
            }

            isAfterLine = end !== -1 || part[part.length - 1] === Octet.lf;
            const text = end !== -1 ? part.subarray(0, end) : isAfterLine ? part.subarray(0, -1) : part;
            if (text.length > 0) {
                yield text;
            }
        }
    }

    async *#chunks(): AsyncGenerator<Buffer, void, undefined> {

        this.#bytes.skip();
        await this.#endLine();
        for (;;) {
            if (await this.#bytes.peek() === Octet.hash) {
                this.#bytes.skip();
                await this.#endLine();
                return;
            }

            for (let left = await this.#length(); left > 0;) {
                if (await this.#bytes.peek() === -1) {
                    throw this.#cut();
                }

                const part = this.#bytes.take(left);
                left -= part.length;
                yield part;
            }

            await this.#endLine();
        }
    }

    /** Reads the length of a chunk. Zero is accepted, because one known writer sends it for an element without bytes. */
    async #length(): Promise<number> {

        let digits = '';
        for (let next = await this.#bytes.peek(); next >= Octet.zero && next <= Octet.nine; next = await this.#bytes.peek()) {
            this.#bytes.skip();
            digits += String.fromCharCode(next);
            if (digits.length > MAX_DIGITS) {
                throw this.#broken(`the length of a chunk has more than ${MAX_DIGITS} digits`);
            }
        }

        if (await this.#bytes.peek() === -1) {
            throw this.#cut();
        }

        if (digits === '' || digits !== '0' && digits.startsWith('0')) {
            throw this.#broken(digits === '' && await this.#bytes.peek() === Octet.bang ?
                'the sender has given up a segment of bytes' : 'a chunk must begin with its length in decimal digits');
        }

        await this.#endLine();
        return Number(digits);
    }

    /** Reads the rest of a line, which must be blank. */
    async #endLine(): Promise<void> {

        for (let count = 0; count < MAX_LINE_BLANKS; ++count) {
            const next = await this.#bytes.peek();
            if (next === -1) {
                throw this.#cut();
            }

            if (next !== Octet.lf && !isBlank(next)) {
                break;
            }

            this.#bytes.skip();
            if (next === Octet.lf) {
                return;
            }
        }

        throw this.#broken('unexpected text after a mark or a length: only blanks may stand before the end of the line');
    }

    /** Skips blanks and empty lines; returns the octet after them without taking it. */
    async #nextOctet(): Promise<number> {

        for (let count = 0; count <= MAX_BLANKS; ++count) {
            const next = await this.#bytes.peek();
            if (next !== Octet.lf && !isBlank(next)) {
                return next;
            }

            this.#bytes.skip();
        }

        throw this.#broken('too many blank lines');
    }

    #cut(): DoipError {

        return this.#broken('the connection ended within a message');
    }

    #broken(message: string): DoipError {

        this.#isBroken = true;
        return badRequest(message);
    }
}

/** What a first segment may begin with; other JSON is read as well, to say what is wrong. */
const STARTS_JSON: ReadonlySet<number> = new Set(Buffer.from('{["'));

function isBlank(octet: number): boolean {

    return octet === Octet.space || octet === Octet.tab || octet === Octet.cr;
}

/** The same body for a consumer, who may stop early: the rest can still be read. */
async function *shielded(body: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {

    for (let next = await body.next(); next.done !== true; next = await body.next()) {
        yield next.value;
    }
}
