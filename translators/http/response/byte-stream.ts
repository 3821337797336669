/**
 * Outgoing bytes as a node stream: pulled as fast as the client reads, with its source released whatever happens.
 */

import { Readable } from 'node:stream';

/** Where the bytes come from. */
export interface ByteSource {
    readonly body: AsyncIterable<Uint8Array>;
    /** Number of bytes promised; more or fewer are an error, because the header is gone already. */
    readonly length?: number | undefined;
    /** Called once when the bytes have ended, failed, or are wanted no longer. */
    readonly close: () => Promise<void>;
}

/**
 * A stream of bytes. hapi destroys it when the client goes away and for HEAD; a fault of the source breaks the connection off,
 * so that nobody takes a part for the whole.
 */
export class ByteStream extends Readable {

    private readonly chunks: AsyncIterator<Uint8Array>;
    private readonly source: ByteSource;
    private sent = 0;
    /** Runs when all bytes are out, before the end is told. */
    beforeEnd: (() => Promise<void>) | undefined;

    constructor(source: ByteSource) {

        super({ highWaterMark: 128 * 1024 });
        this.source = source;
        this.chunks = source.body[Symbol.asyncIterator]();
    }

    override _read(): void {

        this.pull().catch((error: unknown) => this.destroy(error as Error));
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {

        this.release().then(() => callback(error), (fault: Error) => callback(error ?? fault));
    }

    private async pull(): Promise<void> {

        const next = await this.chunks.next();
        const { length } = this.source;
        if (next.done === true) {
            if (length !== undefined && this.sent !== length) {
                throw new Error(`the output has ${this.sent} bytes instead of the promised ${length}`);
            }

            await this.beforeEnd?.();
            this.push(null);
            return;
        }

        this.sent += next.value.byteLength;
        if (length !== undefined && this.sent > length) {
            throw new Error(`the output has more than the promised ${length} bytes`);
        }

        if (next.value.byteLength === 0) {
            await this.pull();
            return;
        }

        this.push(next.value);
    }

    private async release(): Promise<void> {

        await this.chunks.return?.();
        await this.source.close();
    }
}
