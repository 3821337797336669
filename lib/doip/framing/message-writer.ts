/**
 * Framing of outgoing messages. Published clients depend on where writes are cut: the text of a JSON segment, the line that ends it, and the
 * line that ends the message must arrive as three reads, so each write waits for the one before.
 */

import type { Writable } from 'node:stream';
import { freeBytes } from '../../util/streams/transient-bytes.js';

const SEGMENT_END = '\n#\n';
const END = '#\n';
const BYTES_BEGIN = '@\n';

/** How the message ends that answers no request, but says that the connection is ended. */
export const CONNECT_AGAIN = ': connect again';

/** Size of a chunk of bytes. Shorter parts are sent as they come. */
const CHUNK_BYTES = 256 * 1024;

/** Written where JSON breaks off, so that no reader takes it for JSON. Lenient ones, such as Gson, take many texts for a string. */
const BROKEN_TEXT = '{!';

/** Stands where the length of a chunk is expected. */
const BROKEN_BYTES = '!\n';

/** What is being written: nothing, a message, or a segment of bytes of it. */
type WriterState = 'idle' | 'message' | 'bytes';

/** What comes next, if that is known: JSON, or more text of it between two values. */
type Next = 'json' | 'text' | null;

/** Writes the messages of a connection. Every method rejects when the connection is closed. */
export class MessageWriter {

    readonly #stream: Writable;
    #state: WriterState = 'idle';
    #next: Next = null;

    constructor(stream: Writable) {

        this.#stream = stream;
    }

    /** True while a message is begun and not ended. */
    get isInMessage(): boolean {

        return this.#state !== 'idle';
    }

    /** Writes a JSON segment from its text, which must be on one line where it is the first one. */
    async json(text: string): Promise<void> {

        this.#state = 'message';
        this.#next = null;
        await this.#write(text);
        await this.#write(SEGMENT_END);
    }

    /** Writes a JSON segment whose text comes in parts, between which JSON allows blanks. */
    async jsonParts(parts: AsyncIterable<string>): Promise<void> {

        this.#state = 'message';
        this.#next = null;
        for await (const part of parts) {
            this.#next = null;
            await this.#write(part);
            this.#next = 'text';
        }

        this.#next = null;
        await this.#write(SEGMENT_END);
    }

    /** Writes a segment of bytes. `isBeforeJson` if it is known that JSON follows it. */
    async bytes(body: AsyncIterable<Uint8Array>, { isBeforeJson = false } = {}): Promise<void> {

        this.#state = 'bytes';
        this.#next = null;
        await this.#write(BYTES_BEGIN);
        for await (const part of body) {
            for (let start = 0; start < part.byteLength; start += CHUNK_BYTES) {
                await this.#chunk(part.subarray(start, start + CHUNK_BYTES));
            }

            freeBytes(part, body);
        }

        await this.#write(END);
        this.#state = 'message';
        this.#next = isBeforeJson ? 'json' : null;
    }

    /** Ends the message. */
    async end(): Promise<void> {

        await this.#write(END);
        this.#state = 'idle';
    }

    /**
     * Breaks off a message so that every receiver fails at once, instead of waiting or taking a part for the whole. True if the next message
     * can follow; otherwise the connection must be closed.
     */
    async breakOff(): Promise<boolean> {

        this.#next = null;
        const isInBytes = this.#state === 'bytes';
        for (const text of isInBytes ? [BROKEN_BYTES] : [BROKEN_TEXT, SEGMENT_END, END]) {
            await this.#write(text);
        }

        this.#state = 'idle';
        return !isInBytes;
    }

    /**
     * Shows that the connection is alive while an operation, or the next part of its output, takes long. Blanks before a message and in JSON mean
     * nothing; but published clients take a blank line for the beginning of JSON, so that none may stand before a segment of bytes or the end.
     */
    keepAlive(): void {

        const isAllowed = this.#state === 'idle' || this.#next !== null;
        if (isAllowed && !this.#stream.destroyed && this.#stream.writableLength === 0) {
            this.#stream.write('\n');
        }
    }

    async #chunk(bytes: Uint8Array): Promise<void> {

        this.#stream.cork();
        this.#stream.write(`${bytes.byteLength}\n`);
        this.#stream.write(bytes);
        const written = this.#write('\n');
        this.#stream.uncork();
        await written;
    }

    #write(data: string): Promise<void> {

        return new Promise((resolve, reject) => {

            this.#stream.write(data, (error) => (error ? reject(error) : resolve()));
        });
    }
}
