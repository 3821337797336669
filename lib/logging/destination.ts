/**
 * Where the lines of the log go: a file descriptor, at the pace of whoever reads it. Nobody waits for that reader. When it stops
 * reading, or the disk below is full, a bounded number of lines is kept; what comes then is counted, and the number is told as soon
 * as lines are taken again.
 */

import { write, writeSync } from 'node:fs';

/** So many bytes wait for a reader. */
const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024;

/** Lines are written together, about so many characters at a time. */
const CHUNK_CHARACTERS = 16 * 1024;

/** Milliseconds until bytes that were not taken are tried again, beside everything else and by who can only wait. */
const PAUSE_MS = 100;
const SHORT_PAUSE_MS = 10;

/** Milliseconds that whoever is about to end waits for a reader. */
const FLUSH_TIMEOUT_MS = 1000;

/** After these nobody will ever read. Anything else may pass, such as a full pipe or a full disk. */
const FINAL: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EBADF', 'ECONNRESET']);

/** Takes lines and writes them to a file descriptor. */
export class AsyncLogDestination {

    readonly #descriptor: number;
    readonly #pieces: (string | Buffer)[] = [];
    /** What is being written. */
    #rest: Buffer | null = null;
    /** Runs while what is to be written has to be tried again. */
    #pause: NodeJS.Timeout | undefined;
    /** All that is in memory, in characters or, once they were counted, bytes. */
    #length = 0;
    #isPlanned = false;
    #isFull = false;
    #isGone = false;
    #mayWait = true;
    #dropped = 0;
    #onIdle: (() => void)[] = [];

    /** Is told how many lines were dropped, as soon as lines are taken again. */
    onDropped: (count: number) => void = () => undefined;

    /** @param descriptor an open one; one that does not block is never waited for, not even at the end */
    constructor(descriptor: number) {

        this.#descriptor = descriptor;
    }

    /** Takes a line. Never waits, never throws. */
    write(line: string): void {

        if (this.#isGone) {
            return;
        }

        if (this.#isFull || this.#length + line.length > MAX_BUFFERED_CHARACTERS) {
            this.#isFull = true;
            this.#dropped += 1;
            return;
        }

        const last = this.#pieces.length - 1;
        const piece = this.#pieces[last];
        if (typeof piece === 'string' && piece.length + line.length <= CHUNK_CHARACTERS) {
            this.#pieces[last] = piece + line;
        }
        else {
            this.#pieces.push(line);
        }

        this.#length += line.length;
        this.#plan();
    }

    /** Until everything is written, for a second at most. */
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

    /** Writes what waits before it returns, for a second at most; for a process that ends. */
    flushSync(): void {

        if (this.#pause) {
            clearTimeout(this.#pause);
            this.#pause = undefined;
            this.#putBack(this.#rest);
            this.#rest = null;
        }

        // What a thread is writing at this moment comes to its end by itself.
        const deadline = performance.now() + (this.#mayWait ? FLUSH_TIMEOUT_MS : 0);
        for (let bytes = this.#take(); bytes; bytes = this.#take()) {
            const left = this.#writeSync(bytes, deadline);
            if (left.length > 0) {
                this.#mayWait = false;
                this.#putBack(left);
                this.#plan();
                return;
            }
        }
    }

    get #isIdle(): boolean {

        return this.#rest === null && this.#pieces.length === 0;
    }

    /** Together with everything else that is logged in this turn of the loop. */
    #plan(): void {

        if (this.#rest === null && !this.#isPlanned) {
            this.#isPlanned = true;
            setImmediate(() => {

                this.#isPlanned = false;
                if (this.#rest === null) {
                    this.#next();
                }
            });
        }
    }

    #next(): void {

        this.#rest = this.#take();
        if (this.#rest) {
            this.#writeRest(this.#rest);
        }
        else {
            this.#tellIdle();
        }
    }

    #writeRest(bytes: Buffer): void {

        write(this.#descriptor, bytes, (error, count) => {

            if (FINAL.has(error?.code)) {
                this.#giveUp();
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
                    this.#next();
                }
            }
        });
    }

    /** What is left when the time is over. */
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
                    this.#giveUp();
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

        const piece = this.#pieces.shift();
        if (typeof piece !== 'string') {
            return piece ?? null;
        }

        const bytes = Buffer.from(piece);
        this.#length += bytes.length - piece.length;
        return bytes;
    }

    #putBack(bytes: Buffer | null): void {

        if (bytes) {
            this.#pieces.unshift(bytes);
        }
    }

    #giveUp(): void {

        this.#isGone = true;
        this.#pieces.length = 0;
        this.#rest = null;
        this.#tellIdle();
    }

    #tellIdle(): void {

        this.#onIdle.splice(0).forEach((resolve) => resolve());
    }
}

function pauseSync(ms: number): void {

    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
