/**
 * Extracts the texts of elements in a worker thread, one at a time, with limits of bytes, time and memory. The thread is started on
 * demand and ends when it is idle; it is terminated when it exceeds a limit.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import { WorkTally } from '../util/work-tally.js';
import { WorkerClient } from '../util/workers/worker-client.js';
import type { TextFormat } from './readers/text-format.js';
import type { TextAnswers, TextCall, TextResult } from './text-messages.js';

/** Limits for one element. */
export interface TextLimits {
    /** Maximum length of the text of one element, in UTF-16 units. */
    readonly characters: number;
    /** Maximum length of the indexed texts of one object, in UTF-16 units. */
    readonly objectCharacters: number;
    /** Maximum number of bytes of formats that can only be read as a whole. */
    readonly bytes: number;
    /** Timeout for reading one element, without waiting for its bytes. */
    readonly milliseconds: number;
    /** Maximum memory of the thread, in bytes. */
    readonly memory: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_TEXT_LIMITS: TextLimits = {
    characters: 400_000, objectCharacters: 1_600_000, bytes: 64 * MIB, milliseconds: 30_000, memory: 256 * MIB
};

/** Milliseconds without work after which the thread ends. */
const IDLE_MS = 10_000;

/** Load of the thread. */
export interface TextLoad {
    /** Payloads that are being read, or wait for it. */
    readonly pending: number;
    readonly extractions: WorkTally;
}

type TextPort = WorkerClient<TextCall, TextAnswers>;

/** The thread, and why it has ended. */
interface TextThread {
    readonly port: TextPort;
    cause: Error | null;
}

/** Extracts texts. */
export class TextExtractor {

    readonly #limits: TextLimits;
    #thread: TextThread | null = null;
    readonly #mutex = new KeyedLocks();
    readonly #extractions = new WorkTally();
    #pending = 0;
    #idle: NodeJS.Timeout | undefined;

    constructor(limits: TextLimits) {

        this.#limits = limits;
    }

    /**
     * Extracts the text of bytes. Calls are serialised.
     *
     * @param open returns the bytes, which are read only as far as needed
     * @param signal aborts with its reason
     * @returns the text, or why there is none; rejects only when the bytes cannot be read
     */
    async read(format: TextFormat, open: () => AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<TextResult> {

        this.#pending += 1;
        try {
            return await this.#mutex.run('thread', () => this.#count(() => this.#read(format, open, signal)));
        }
        finally {
            this.#pending -= 1;
        }
    }

    /** Current load; reads counters only. */
    get load(): TextLoad {

        return { pending: this.#pending, extractions: this.#extractions };
    }

    /** Ends the thread. */
    async close(): Promise<void> {

        await this.#mutex.run('thread', async () => {

            clearTimeout(this.#idle);
            await this.#end();
        });
    }

    /** A payload without text that can be extracted counts as failed. */
    async #count(read: () => Promise<TextResult>): Promise<TextResult> {

        const began = performance.now();
        let isFailed = true;
        try {
            const result = await read();
            isFailed = result.reason !== null;
            return result;
        }
        finally {
            this.#extractions.add((performance.now() - began) / 1000, isFailed);
        }
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
                return { text: null, reason: (thread.cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'needs too much memory to be read' : 'ends the thread that reads it' };
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

/** Calls for one element, which share a timeout. */
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

/** Copies a part of a buffer, because posting it would clone the whole buffer. */
function ownBytes(chunk: Uint8Array): Uint8Array {

    return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}
