/** Outgoing bytes as a node stream with back-pressure; the source is always released. */

import { Readable, type Writable } from 'node:stream';
import { readableError } from '../../../lib/util/readable-error.js';
import { countSent } from '../../../lib/util/streams/sent-bytes.js';
import { freeBytes } from '../../../lib/util/streams/transient-bytes.js';

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
 * partial response cannot be mistaken for a complete one. Read as a stream, or by {@link writeToStream}, which hapi calls where nothing, such as
 * compression, is between them.
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
        // The release of the source may fail when nobody listens any more, which must not end the process.
        this.on('error', () => undefined);
        this.#chunks = source.body[Symbol.asyncIterator]();
    }

    /** Reads the first bytes in advance: until they are sent, an error can still have a status. */
    async begin(): Promise<void> {

        this.#first = await this.#chunks.next();
    }

    override _read(): void {

        this.#next().then((bytes) => this.push(bytes), (error: unknown) => {

            this.destroy(this.#reported(error));
        });
    }

    /** Writes all bytes to a response, and ends it. Each are freed, if they may be, when they have been sent. */
    writeToStream(response: Writable): void {

        this.#writeTo(response).then(() => this.destroy(), (error: unknown) => {

            const failure = this.#reported(error);
            if (!this.destroyed) {
                this.destroy();
                // As of a stream that is piped to it: the listener of hapi resets the connection.
                response.emit('error', failure);
            }
        });
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {

        this.#release().then(() => callback(error), (thrown: unknown) => callback(error ?? readableError(thrown)));
    }

    /** Reports an error of the source, which is of no interest after a disconnect. Returns it as one that can be read, which that of an extension may not be. */
    #reported(thrown: unknown): Error {

        const error = readableError(thrown);
        if (!this.destroyed) {
            this.onFailure?.(error);
        }

        return error;
    }

    async #writeTo(response: Writable): Promise<void> {

        for (let bytes = await this.#next(); bytes; bytes = await this.#next()) {
            if (!await this.#send(response, bytes)) {
                return;
            }
        }

        response.end();
    }

    /** Resolves to whether more can be sent: at once while the response takes more, otherwise when these bytes have been sent, and to false when they cannot be. */
    #send(response: Writable, bytes: Uint8Array): Promise<boolean> {

        countSent(response, bytes.byteLength);
        return new Promise((resolve) => {

            const takesMore = response.write(bytes, (error) => {

                if (!error && !isReset(response)) {
                    freeBytes(bytes, this.#source.body);
                }

                resolve(!error);
            });
            if (takesMore) {
                resolve(true);
            }
        });
    }

    /** Returns the next bytes; null after the last. */
    async #next(): Promise<Uint8Array | null> {

        const { length } = this.#source;
        for (;;) {
            const next = this.#first ?? await this.#chunks.next();
            this.#first = null;
            if (next.done === true) {
                if (length !== undefined && this.#sent !== length) {
                    throw new Error(`the output has ${this.#sent} bytes instead of the promised ${length}`);
                }

                await this.beforeEnd?.();
                return null;
            }

            const bytes: unknown = next.value;
            if (!(bytes instanceof Uint8Array)) {
                throw new TypeError('the output has a chunk that is no bytes');
            }

            this.#sent += bytes.byteLength;
            if (length !== undefined && this.#sent > length) {
                throw new Error(`the output has more than the promised ${length} bytes`);
            }

            if (bytes.byteLength > 0) {
                return bytes;
            }
        }
    }

    async #release(): Promise<void> {

        await this.#chunks.return?.();
        await this.#source.close();
    }
}

/** True for a response that has been reset: over HTTP/2 without TLS, some of its bytes may still be on their way. */
function isReset(response: Writable & { readonly stream?: { readonly destroyed: boolean } }): boolean {

    return response.destroyed || response.stream?.destroyed === true;
}
