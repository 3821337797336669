/** Memory of the parts of all uploads in progress: a budget, of which each caller gets a half at most, and buffers that are used again. */

import { unavailable } from '../../errors/errors.js';

/** Time in ms for which an upload waits for memory, and what a client is told to wait afterwards, in seconds. */
const WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

/** An upload is slow when it has filled a buffer for this long, in ms, at less than this rate, in bytes per second. */
const SLOW_MS = 10_000;
const SLOW_RATE = 32 * 1024;

/** Interval in ms in which one slow upload gives way while others wait. */
const CHECK_MS = 500;

/** Unused buffers of the usual size that are kept. */
const MAX_UNUSED = 4;

/** An upload, as the memory sees it. */
export interface MemoryUser {
    /** Id of the user who stores the payload, empty for anonymous callers; null for jobs. */
    readonly caller: string | null;
    /** The buffer that is being filled: since when, by the monotonic clock in ms, and with how many bytes since then; null when none is. */
    readonly filling: { readonly since: number; readonly bytes: number } | null;
    /** Ends the upload, whose memory others wait for. */
    giveWay(): void;
}

/** Times in milliseconds. */
export interface UploadMemoryOptions {
    readonly waitMs?: number;
    readonly slowMs?: number;
}

interface Waiting {
    readonly bytes: number;
    readonly user: MemoryUser;
    readonly resolve: (buffer: Buffer) => void;
}

/** A budget of bytes. */
export class UploadMemory {

    readonly #limit: number;
    /** Size of the buffers that are kept. */
    readonly #usual: number;
    readonly #waitMs: number;
    readonly #slowMs: number;
    readonly #unused: Buffer[] = [];
    readonly #waiting = new Set<Waiting>();
    /** Bytes of each upload that has any. */
    readonly #users = new Map<MemoryUser, number>();
    #taken = 0;
    #check: NodeJS.Timeout | null = null;

    constructor(limit: number, usual: number, { waitMs = WAIT_MS, slowMs = SLOW_MS }: UploadMemoryOptions = {}) {

        this.#limit = limit;
        this.#usual = usual;
        this.#waitMs = waitMs;
        this.#slowMs = slowMs;
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
     * Takes a buffer; waits in the order of calls until there is room. One that exceeds the whole budget is given when no other is in use, and
     * one that exceeds the share of a caller when the caller has none.
     *
     * @throws DoipError 503 when there is none in time
     */
    take(bytes: number, user: MemoryUser): Promise<Buffer> {

        return new Promise((resolve, reject) => {

            const timer = setTimeout(() => {

                this.#waiting.delete(waiting);
                reject(unavailable('too many payloads are being stored at this moment, try again a little later', RETRY_SECONDS));
                this.#serve();
            }, this.#waitMs);
            const waiting: Waiting = {
                bytes, user,
                resolve: (given) => {

                    clearTimeout(timer);
                    resolve(given);
                }
            };
            this.#waiting.add(waiting);
            this.#serve();
        });
    }

    /** Takes a buffer if there is room now. */
    tryTake(bytes: number, user: MemoryUser): Buffer | null {

        if (this.#taken > 0 && this.#taken + bytes > this.#limit || !this.#isInShare(bytes, user)) {
            return null;
        }

        this.#taken += bytes;
        this.#users.set(user, (this.#users.get(user) ?? 0) + bytes);
        return bytes === this.#usual && this.#unused.pop() || Buffer.allocUnsafeSlow(bytes);
    }

    /** Gives a buffer back, whose bytes nobody reads any more. */
    give(buffer: Buffer, user: MemoryUser): void {

        this.#taken -= buffer.byteLength;
        const left = (this.#users.get(user) ?? 0) - buffer.byteLength;
        if (left > 0) {
            this.#users.set(user, left);
        }
        else {
            this.#users.delete(user);
        }

        if (buffer.byteLength === this.#usual && this.#unused.length < MAX_UNUSED) {
            this.#unused.push(buffer);
        }

        this.#serve();
    }

    #serve(): void {

        for (const waiting of this.#waiting) {
            const buffer = this.tryTake(waiting.bytes, waiting.user);
            if (buffer) {
                this.#waiting.delete(waiting);
                waiting.resolve(buffer);
            }
            else if (this.#isInShare(waiting.bytes, waiting.user)) {
                break;
            }
        }

        this.#watch();
    }

    /** Whether a caller would have no more than a half of the budget. */
    #isInShare(bytes: number, { caller }: MemoryUser): boolean {

        let own = 0;
        for (const [user, taken] of caller === null ? [] : this.#users) {
            own += user.caller === caller ? taken : 0;
        }

        return own === 0 || own + bytes <= this.#limit / 2;
    }

    /** Looks for slow uploads as long as others wait. */
    #watch(): void {

        if (this.#waiting.size === 0) {
            clearInterval(this.#check ?? undefined);
            this.#check = null;
        }
        else {
            this.#check ??= setInterval(() => this.#endSlowest(), Math.min(CHECK_MS, this.#slowMs)).unref();
        }
    }

    #endSlowest(): void {

        // Those that wait for the share of their caller alone get nothing from others.
        if (![...this.#waiting].some(({ bytes, user }) => this.#isInShare(bytes, user))) {
            return;
        }

        const now = performance.now();
        let slowest: { readonly user: MemoryUser; readonly rate: number } | null = null;
        for (const user of this.#users.keys()) {
            const { since = now, bytes = 0 } = user.filling ?? {};
            const rate = bytes / (now - since) * 1000;
            if (now - since >= this.#slowMs && rate < SLOW_RATE && rate < (slowest?.rate ?? Infinity)) {
                slowest = { user, rate };
            }
        }

        slowest?.user.giveWay();
    }
}
