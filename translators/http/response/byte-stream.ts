/** Outgoing bytes as a node stream with back-pressure; the source is always released. */

import { Readable } from 'node:stream';
import { readableError } from '../../../lib/util/readable-error.js';

/** Source of the bytes. */
export interface ByteSource {
    readonly body: AsyncIterable<Uint8Array>;
    /** Declared number of bytes; a mismatch is an error, because the header was already sent. */
    readonly length?: number | undefined;
    /** Called once when the bytes have ended, failed, or the stream is destroyed. */
    readonly close: () => Promise<void>;
}

/**
 * A stream of bytes. hapi destroys it when the client disconnects, and for HEAD. An error of the source resets the connection, so that a
 * partial response cannot be mistaken for a complete one.
 */
export class ByteStream extends Readable {

    readonly #chunks: AsyncIterator<Uint8Array>;
    readonly #source: ByteSource;
    #first: IteratorResult<Uint8Array> | null = null;
    #sent = 0;
    /** Called with an error of the source, before it resets the connection. */
    onFailure: ((error: unknown) => void) | undefined;
    /** Called after the last byte, before the end of the stream. */
    beforeEnd: (() => Promise<void>) | undefined;

    constructor(source: ByteSource) {

        // The next bytes are pulled when the client can take them: the source may read ahead, and its chunks are large.
        super({ highWaterMark: 0 });
        this.#source = source;
        this.#chunks = source.body[Symbol.asyncIterator]();
    }

    /** Reads the first bytes in advance: until they are sent, an error can still have a status. */
    async begin(): Promise<void> {

        this.#first = await this.#chunks.next();
    }

    override _read(): void {

        this.#pull().catch((error: unknown) => this.#fail(error));
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {

        this.#release().then(() => callback(error), (thrown: unknown) => callback(error ?? readableError(thrown)));
    }

    #fail(thrown: unknown): void {

        // Node reads an error with which a stream is destroyed, and extensions may throw one that cannot be read.
        const error = readableError(thrown);
        if (!this.destroyed) {
            // After a disconnect it is of no interest.
            this.onFailure?.(error);
        }

        this.destroy(error);
    }

    async #pull(): Promise<void> {

        const next = this.#first ?? await this.#chunks.next();
        this.#first = null;
        const { length } = this.#source;
        if (next.done === true) {
            if (length !== undefined && this.#sent !== length) {
                throw new Error(`the output has ${this.#sent} bytes instead of the promised ${length}`);
            }

            await this.beforeEnd?.();
            this.push(null);
            return;
        }

        this.#sent += next.value.byteLength;
        if (length !== undefined && this.#sent > length) {
            throw new Error(`the output has more than the promised ${length} bytes`);
        }

        if (next.value.byteLength === 0) {
            await this.#pull();
            return;
        }

        this.push(next.value);
    }

    async #release(): Promise<void> {

        await this.#chunks.return?.();
        await this.#source.close();
    }
}
