/**
 * Non-blocking writer of log lines to a file descriptor. When the reader is slow or the disk is full, lines are buffered up to a limit;
 * further ones are dropped and counted, and the count is reported when writing succeeds again.
 */

import { write, writeSync } from 'node:fs';

/** Maximum size of the buffer in characters. */
const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024;

/** Approximate size in characters of a write, which combines several lines. */
const CHUNK_CHARACTERS = 16 * 1024;

/** The same where several processes write to one pipe: the system writes no more than 4 KiB without those of others in between. */
const SHARED_CHUNK_CHARACTERS = 4000;

/** Milliseconds for which lines are gathered before they are written together: a write costs more than an answer from a cache. */
const GATHER_MS = 10;

/** Milliseconds until a failed write is retried, in the background and in a blocking flush. */
const PAUSE_MS = 100;
const SHORT_PAUSE_MS = 10;

/** Maximum time in milliseconds to flush before the process ends. */
const FLUSH_TIMEOUT_MS = 1000;

/** Permanent errors: there is no reader any more. Others are temporary, such as a full pipe or disk. */
const FINAL: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EBADF', 'ECONNRESET']);

/** Writes lines to a file descriptor. */
export class AsyncLogDestination {

    readonly #descriptor: number;
    readonly #queue: (string | Buffer)[] = [];
    /** The bytes being written. */
    #rest: Buffer | null = null;
    /** Timer of a retry. */
    #pause: NodeJS.Timeout | undefined;
    /** Size of the buffer, in characters or, once encoded, bytes. */
    #length = 0;
    #isPlanned = false;
    #isFull = false;
    #isBroken = false;
    #mayWait = true;
    #dropped = 0;
    #onIdle: (() => void)[] = [];

    /** True where several processes write to the descriptor: lines of usual length stay whole. */
    isShared = false;

    /** Called with the number of dropped lines when lines are accepted again. */
    onDropped: (count: number) => void = () => undefined;

    /** @param descriptor an open file descriptor; a non-blocking one is never waited for, not even at the end */
    constructor(descriptor: number) {

        this.#descriptor = descriptor;
    }

    /** Buffers a line. Never blocks, never throws. */
    write(line: string): void {

        if (this.#isBroken) {
            return;
        }

        if (this.#isFull || this.#length + line.length > MAX_BUFFERED_CHARACTERS) {
            this.#isFull = true;
            this.#dropped += 1;
            return;
        }

        const last = this.#queue.length - 1;
        const chunk = this.#queue[last];
        if (typeof chunk === 'string' && chunk.length + line.length <= this.#chunk) {
            this.#queue[last] = chunk + line;
        }
        else {
            this.#queue.push(line);
        }

        this.#length += line.length;
        this.#plan();
    }

    /** Resolves when everything is written, after at most a second. */
    async drain(): Promise<void> {

        if (this.#isIdle) {
            return;
        }

        await new Promise<void>((resolve) => {

            const timer = setTimeout(() => {

                this.#mayWait = false;
                resolve();
            }, FLUSH_TIMEOUT_MS);
            this.#onIdle.push(() => {

                clearTimeout(timer);
                resolve();
            });
        });
    }

    /** Writes the buffer synchronously, for at most a second; for the end of the process. */
    flushSync(): void {

        if (this.#pause) {
            clearTimeout(this.#pause);
            this.#pause = undefined;
            this.#requeue(this.#rest);
            this.#rest = null;
        }

        // A write in progress in a thread completes by itself.
        const deadline = performance.now() + (this.#mayWait ? FLUSH_TIMEOUT_MS : 0);
        for (let bytes = this.#take(); bytes; bytes = this.#take()) {
            const left = this.#writeSync(bytes, deadline);
            if (left.length > 0) {
                this.#mayWait = false;
                this.#requeue(left);
                this.#plan();
                return;
            }
        }
    }

    get #chunk(): number {

        return this.isShared ? SHARED_CHUNK_CHARACTERS : CHUNK_CHARACTERS;
    }

    get #isIdle(): boolean {

        return this.#rest === null && this.#queue.length === 0;
    }

    /** Schedules a write of all lines logged until then. */
    #plan(): void {

        if (this.#rest === null && !this.#isPlanned) {
            this.#isPlanned = true;
            setTimeout(() => {

                this.#isPlanned = false;
                if (this.#rest === null) {
                    this.#next();
                }
            }, GATHER_MS);
        }
    }

    /** Writes what has accumulated during a write, or gathers more of it: under load each write would follow the one before otherwise. */
    #continue(): void {

        this.#rest = null;
        if (this.#length < CHUNK_CHARACTERS && this.#length > 0 && this.#onIdle.length === 0) {
            this.#plan();
        }
        else {
            this.#next();
        }
    }

    #next(): void {

        this.#rest = this.#take();
        if (this.#rest) {
            this.#writeRest(this.#rest);
        }
        else {
            this.#notifyIdle();
        }
    }

    #writeRest(bytes: Buffer): void {

        write(this.#descriptor, bytes, (error, count) => {

            if (FINAL.has(error?.code)) {
                this.#abandon();
            }
            else if (error || count === 0) {
                this.#pause = setTimeout(() => {

                    this.#pause = undefined;
                    this.#writeRest(bytes);
                }, PAUSE_MS).unref();
            }
            else {
                this.#mayWait = true;
                this.#written(count);
                this.#rest = bytes.subarray(count);
                if (count < bytes.length) {
                    this.#writeRest(this.#rest);
                }
                else {
                    this.#continue();
                }
            }
        });
    }

    /** Writes until the deadline; returns the rest. */
    #writeSync(bytes: Buffer, deadline: number): Buffer {

        let left = bytes;
        while (left.length > 0) {
            try {
                const count = writeSync(this.#descriptor, left);
                this.#written(count);
                left = left.subarray(count);
            }
            catch (error) {
                if (FINAL.has((error as NodeJS.ErrnoException).code)) {
                    this.#abandon();
                    break;
                }

                if (performance.now() >= deadline) {
                    return left;
                }

                pauseSync(SHORT_PAUSE_MS);
            }
        }

        return Buffer.alloc(0);
    }

    #written(count: number): void {

        this.#length -= count;
        if (this.#isFull && this.#length <= MAX_BUFFERED_CHARACTERS / 2) {
            const dropped = this.#dropped;
            this.#isFull = false;
            this.#dropped = 0;
            this.onDropped(dropped);
        }
    }

    #take(): Buffer | null {

        const chunk = this.#queue.shift();
        if (typeof chunk !== 'string') {
            return chunk ?? null;
        }

        const bytes = Buffer.from(chunk);
        this.#length += bytes.length - chunk.length;
        return bytes;
    }

    #requeue(bytes: Buffer | null): void {

        if (bytes) {
            this.#queue.unshift(bytes);
        }
    }

    #abandon(): void {

        this.#isBroken = true;
        this.#queue.length = 0;
        this.#rest = null;
        this.#notifyIdle();
    }

    #notifyIdle(): void {

        this.#onIdle.splice(0).forEach((resolve) => resolve());
    }
}

function pauseSync(ms: number): void {

    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
