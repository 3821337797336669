/** Reads a stream byte by byte or in chunks, without taking more of it than is read: what is not read yet holds up the sender. */

import type { Readable } from 'node:stream';
import { TurnBudget } from '../../util/concurrency/event-loop-yielder.js';

/** The octets that framing knows. */
export const Octet = { tab: 0x09, lf: 0x0a, cr: 0x0d, space: 0x20, bang: 0x21, hash: 0x23, zero: 0x30, nine: 0x39, at: 0x40 } as const;

const NOTHING = Buffer.alloc(0);

/** Number of octets or chunks, of all connections, that are looked at in one turn of the event loop: about a millisecond. */
const PEEKS_PER_TURN = 4096;

const peeks = new TurnBudget(PEEKS_PER_TURN);

/** Reads one stream. */
export class ByteReader {

    readonly #stream: Readable;
    #chunk: Buffer = NOTHING;
    #position = 0;
    #isOver = false;
    #error: Error | null = null;
    #wake: (() => void) | null = null;

    constructor(stream: Readable) {

        this.#stream = stream;
        stream.on('readable', () => this.#resume());
        for (const event of ['end', 'close', 'error'] as const) {
            stream.on(event, () => {

                this.#isOver = true;
                this.#resume();
            });
        }
    }

    /** True while a read waits for the sender. */
    get isWaiting(): boolean {

        return this.#wake !== null;
    }

    /** Makes the read in progress and all later ones reject. */
    fail(error: Error): void {

        this.#error ??= error;
        this.#resume();
    }

    /** Returns the next octet without taking it; -1 at the end of the stream. */
    async peek(): Promise<number> {

        const yielded = peeks.spend();
        if (yielded) {
            await yielded;
        }

        return this.#position < this.#chunk.length || await this.#fill() ? this.#chunk[this.#position] ?? -1 : -1;
    }

    /** Takes what has arrived, at most `max` bytes; empty if nothing has, see {@link peek}. */
    take(max = Infinity): Buffer {

        const end = Math.min(this.#chunk.length, this.#position + max);
        const taken = this.#chunk.subarray(this.#position, end);
        this.#position = end;
        return taken;
    }

    /** Takes one octet that {@link peek} has shown. */
    skip(): void {

        ++this.#position;
    }

    /** Gives back the last bytes that were taken. */
    putBack(count: number): void {

        this.#position -= count;
    }

    #resume(): void {

        const wake = this.#wake;
        this.#wake = null;
        wake?.();
    }

    /** Waits for bytes; false at the end of the stream. */
    async #fill(): Promise<boolean> {

        for (;;) {
            if (this.#error) {
                throw this.#error;
            }

            const chunk = this.#stream.read() as Buffer | null;
            if (chunk !== null) {
                this.#chunk = chunk;
                this.#position = 0;
                return true;
            }

            if (this.#isOver || this.#stream.destroyed || this.#stream.readableEnded) {
                return false;
            }

            await new Promise<void>((resolve) => {

                this.#wake = resolve;
            });
        }
    }
}
