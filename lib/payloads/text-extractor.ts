/**
 * Reads texts of elements in a thread of its own, one after the other, within limits of bytes, time and memory. The thread is
 * started when it is needed and ends when there is nothing to do; one that is stuck or has grown too large is ended at once.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerClient } from '../util/workers/worker-client.js';
import type { TextFormat } from './readers/text-format.js';
import type { TextAnswers, TextCall, TextResult } from './text-messages.js';

/** How much is spent on one element. */
export interface TextLimits {
    /** UTF-16 units that are kept of the text of one element. */
    readonly characters: number;
    /** UTF-16 units that are indexed of all elements of one object together. */
    readonly objectCharacters: number;
    /** Bytes of formats that can only be read as a whole. */
    readonly bytes: number;
    /** Of reading one element, waiting for its bytes not counted. */
    readonly milliseconds: number;
    /** Bytes of memory of the thread. */
    readonly memory: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_TEXT_LIMITS: TextLimits = {
    characters: 400_000, objectCharacters: 1_600_000, bytes: 64 * MIB, milliseconds: 30_000, memory: 256 * MIB
};

/** The thread ends when it had nothing to do for so long. */
const IDLE_MS = 10_000;

type TextPort = WorkerClient<TextCall, TextAnswers>;

/** The thread, and why it has ended. */
interface TextThread {
    readonly port: TextPort;
    cause: Error | null;
}

/** Reads texts. */
export class TextExtractor {

    readonly #limits: TextLimits;
    #thread: TextThread | null = null;
    #last: Promise<unknown> = Promise.resolve();
    #idle: NodeJS.Timeout | undefined;

    constructor(limits: TextLimits) {

        this.#limits = limits;
    }

    /**
     * Reads the text of some bytes. One caller after the other.
     *
     * @param open the bytes; read no further than is wanted
     * @param signal ends the reading with its reason
     * @returns the text, or why there is none; rejects only when the bytes could not be had
     */
    async read(format: TextFormat, open: () => AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<TextResult> {

        const turn = this.#last.then(() => this.#read(format, open, signal));
        this.#last = turn.catch(() => {
            // Whoever asked hears of it.
        });
        return await turn;
    }

    /** Ends the thread. */
    async close(): Promise<void> {

        await this.#last;
        clearTimeout(this.#idle);
        await this.#end();
    }

    async #read(format: TextFormat, open: () => AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<TextResult> {

        signal.throwIfAborted();
        clearTimeout(this.#idle);
        const thread = this.#thread ?? this.#start();
        const reading = new Reading(thread.port, this.#limits.milliseconds, signal);
        try {
            const { characters, bytes, memory } = this.#limits;
            await reading.call({ kind: 'begin', format, limits: { characters, bytes }, memory });
            for await (const chunk of open()) {
                if (!await reading.call({ kind: 'bytes', bytes: ownBytes(chunk) })) {
                    break;
                }
            }

            return await reading.call({ kind: 'end' });
        }
        catch (error) {
            await this.#end();
            signal.throwIfAborted();
            if (error instanceof TooSlow) {
                return { text: null, reason: `takes longer than ${this.#limits.milliseconds / 1000} seconds to read` };
            }

            if (thread.cause) {
                return { text: null, reason: isOutOfMemory(thread.cause) ? 'needs too much memory to be read' : 'ends the thread that reads it' };
            }

            throw error;
        }
        finally {
            this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
        }
    }

    #start(): TextThread {

        const thread: TextThread = {
            cause: null,
            port: new WorkerClient(join(__dirname, 'text-worker.js'), (error) => {

                thread.cause = error;
                this.#thread = null;
            }, { resourceLimits: { maxOldGenerationSizeMb: Math.ceil(this.#limits.memory / MIB), maxYoungGenerationSizeMb: 16 } })
        };
        this.#thread = thread;
        return thread;
    }

    async #end(): Promise<void> {

        const thread = this.#thread;
        this.#thread = null;
        await thread?.port.terminate();
    }
}

class TooSlow extends Error {}

/** Calls of one reading, which have a time together. */
class Reading {

    readonly #port: TextPort;
    readonly #signal: AbortSignal;
    #left: number;

    constructor(port: TextPort, milliseconds: number, signal: AbortSignal) {

        this.#port = port;
        this.#left = milliseconds;
        this.#signal = signal;
    }

    async call<K extends TextCall['kind']>(call: TextCall & { readonly kind: K }): Promise<TextAnswers[K]> {

        const started = performance.now();
        const timer = new AbortController();
        try {
            return await Promise.race([
                this.#port.call<K>(call),
                sleep(this.#left, null, { signal: AbortSignal.any([timer.signal, this.#signal]) }).then(() => {

                    throw new TooSlow();
                })
            ]);
        }
        finally {
            timer.abort();
            this.#left = Math.max(this.#left - (performance.now() - started), 1);
        }
    }
}

/** Bytes on their own: with a part of some memory all of it would be sent. */
function ownBytes(chunk: Uint8Array): Uint8Array {

    return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}

function isOutOfMemory(error: Error): boolean {

    return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
