/** Memory of the parts of all uploads in progress: a budget, and buffers that are used again. */

import { unavailable } from '../../errors/errors.js';

/** Time in ms for which an upload waits for memory, and what a client is told to wait afterwards, in seconds. */
const WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

/** Unused buffers of the usual size that are kept. */
const MAX_UNUSED = 4;

interface Waiting {
    readonly bytes: number;
    readonly resolve: (buffer: Buffer) => void;
}

/** A budget of bytes. */
export class UploadMemory {

    readonly #limit: number;
    /** Size of the buffers that are kept. */
    readonly #usual: number;
    readonly #waitMs: number;
    readonly #unused: Buffer[] = [];
    readonly #waiting = new Set<Waiting>();
    #taken = 0;

    constructor(limit: number, usual: number, waitMs = WAIT_MS) {

        this.#limit = limit;
        this.#usual = usual;
        this.#waitMs = waitMs;
    }

    /** Bytes in use. */
    get taken(): number {

        return this.#taken;
    }

    /** Uploads that wait. */
    get waiting(): number {

        return this.#waiting.size;
    }

    /**
     * Takes a buffer; waits in the order of calls until there is room. One that exceeds the whole budget is given when no other is in use.
     *
     * @throws DoipError 503 when there is none in time
     */
    take(bytes: number): Promise<Buffer> {

        const buffer = this.#waiting.size === 0 ? this.tryTake(bytes) : null;
        if (buffer) {
            return Promise.resolve(buffer);
        }

        return new Promise((resolve, reject) => {

            const waiting: Waiting = {
                bytes,
                resolve: (given) => {

                    clearTimeout(timer);
                    resolve(given);
                }
            };
            const timer = setTimeout(() => {

                this.#waiting.delete(waiting);
                reject(unavailable('too many payloads are being stored at this moment, try again a little later', RETRY_SECONDS));
                this.#serve();
            }, this.#waitMs);
            this.#waiting.add(waiting);
        });
    }

    /** Takes a buffer if there is room now. */
    tryTake(bytes: number): Buffer | null {

        if (this.#taken > 0 && this.#taken + bytes > this.#limit) {
            return null;
        }

        this.#taken += bytes;
        return bytes === this.#usual && this.#unused.pop() || Buffer.allocUnsafeSlow(bytes);
    }

    /** Gives a buffer back, whose bytes nobody reads any more. */
    give(buffer: Buffer): void {

        this.#taken -= buffer.byteLength;
        if (buffer.byteLength === this.#usual && this.#unused.length < MAX_UNUSED) {
            this.#unused.push(buffer);
        }

        this.#serve();
    }

    #serve(): void {

        for (const waiting of this.#waiting) {
            const buffer = this.tryTake(waiting.bytes);
            if (!buffer) {
                return;
            }

            this.#waiting.delete(waiting);
            waiting.resolve(buffer);
        }
    }
}
