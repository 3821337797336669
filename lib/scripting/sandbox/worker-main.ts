/**
 * Worker thread for scripts, one run at a time. Caches the contexts of recently used units, each for one version of the
 * program; a context in which a limit was exceeded is discarded.
 */

import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { authorStack } from '../protocol/stack-trace.js';
import { compute } from './local-host-calls.js';
import type { Engine } from './engine.js';
import { openEngine } from './engine.js';
import type { ChannelEndpoint } from '../../util/workers/sync-channel.js';
import { SyncChannelClient } from '../../util/workers/sync-channel.js';
import { LogLimiter } from '../../util/log-limiter.js';
import { CpuSlice } from '../protocol/cpu-scheduler.js';
import { tooLongAnswer, type LogLevel, type Reply, type RunMessage, type ThreadMessage, type ThreadOptions } from '../protocol/messages.js';
import { separated } from './returned-text.js';
import type { RealmServices } from './script-context.js';
import { Realm, ScriptAborted } from './script-context.js';
import type { ScriptFailure, ScriptLimit } from '../protocol/script-error.js';
import { lowerOwnPriority } from './thread-priority.js';

/** Start parameters of a worker. */
export interface ThreadData {
    readonly options: ThreadOptions;
    readonly channel: ChannelEndpoint;
    /** The worker stores the number of the run that it has begun here. */
    readonly startedRun: SharedArrayBuffer;
    /** Memory of {@link CpuScheduler}. */
    readonly cpuSlots: SharedArrayBuffer;
}

/** Maximum number of log lines of scripts. */
const LOG_LIMITS = { burst: 200, perSecond: 50 };

/** Maximum number of cached contexts. */
const REALMS = 40;

/** Time limit of the integrity check in ms; it runs no code of authors. */
const RECHECK_MS = 1000;

/** Size of a block of output in bytes. */
const OUTPUT_BLOCK = 64 * 1024;

const LIMITS: Readonly<Record<ScriptLimit, string>> = {
    time: 'it took too long',
    memory: 'it needs too much memory',
    stack: 'its functions call each other too deeply',
    size: 'it handed over too much at once'
};

class ScriptThread implements RealmServices {

    readonly #engine: QuickJSWASMModule;
    readonly #isFull: () => boolean;
    readonly #options: ThreadOptions;
    readonly #channel: SyncChannelClient<Reply>;
    readonly #startedRun: Int32Array;
    readonly #slice: CpuSlice;
    readonly #send: (message: ThreadMessage) => void;
    readonly #logLimiter = new LogLimiter(LOG_LIMITS);
    /** By unit, least recently used first. */
    readonly #realms = new Map<string, { readonly realm: Realm; readonly version: string }>();
    #message: RunMessage | null = null;
    #deadline = 0;
    #output = new OutputBlocks();

    constructor({ engine, isFull }: Engine, { options, channel, startedRun, cpuSlots }: ThreadData, send: (message: ThreadMessage) => void) {

        this.#engine = engine;
        this.#isFull = isFull;
        this.#options = options;
        this.#channel = new SyncChannelClient(channel);
        this.#startedRun = new Int32Array(startedRun);
        this.#slice = new CpuSlice(cpuSlots, threadId);
        this.#send = send;
    }

    /** Runs a script. Throws if the worker cannot run any more; the next run, not begun here, then goes to another worker. */
    run(message: RunMessage): void {

        Atomics.store(this.#startedRun, 0, message.run);
        this.#message = message;
        this.#deadline = performance.now() + message.budget;
        this.#slice.start();
        this.#output = new OutputBlocks();
        this.#answer(message);
        this.#message = null;
        this.#recheck(message.unit);
        this.#slice.end();
    }

    /** Ends the thread, from within a script or the integrity check, because the memory is used up. */
    endForLackOfMemory(): never {

        if (this.#message) {
            this.#send({ kind: 'failed', failure: { kind: 'limit', limit: 'memory', message: LIMITS.memory }, retire: true });
        }

        process.exit();
        for (;;) {
            // The thread is ended here, whatever runs in it.
        }
    }

    #answer(message: RunMessage): void {

        const { unit, request, original } = message;
        try {
            const realm = this.#realm(message);
            const lines = request === null ? realm.describe() : realm.run(request, original);
            const isUsable = realm.isClean || this.#discard(unit);
            const result = message.keepsText ? separated(lines) : { lines, text: null };
            this.#send({ kind: 'done', ...result, output: this.#output.take(), retire: !isUsable || this.#isFull() });
        }
        catch (error) {
            const isUsable = error instanceof ScriptAborted && this.#discard(unit);
            this.#send({ kind: 'failed', failure: failureOf(error), retire: !isUsable || this.#isFull() });
        }
    }

    /** Checks the integrity of a context. Runs after the result was sent, because it takes a while. */
    #recheck(unit: string): void {

        this.#deadline = performance.now() + RECHECK_MS;
        const cached = this.#realms.get(unit);
        if (cached && !isIntact(cached.realm) && !this.#discard(unit)) {
            throw new Error('the engine for scripts has broken down');
        }
    }

    find(from: string, specifier: string): string {

        return textOf(this.#request('find', JSON.stringify([from, specifier])));
    }

    log(level: string, text: string, about: string): void {

        this.#checkRunning();
        const leftOut = this.#logLimiter.pass();
        if (leftOut !== null) {
            const note = leftOut === 0 ? '' : ` (${leftOut} lines before this one were left out)`;
            this.#send({ kind: 'log', level: isLevel(level) ? level : 'info', text: text + note, about });
        }
    }

    ask(name: string, args: string): string {

        const reply = this.#request(name, args);
        return 'bytes' in reply ? this.#decoded(reply.bytes, name) : textOf(reply);
    }

    /** Decodes bytes that the script asks for as text. */
    #decoded(bytes: Uint8Array, name: string): string {

        const text = JSON.stringify({ value: new TextDecoder().decode(bytes) });
        return text.length > this.#options.maxMessageBytes ?
            textOf({ error: { message: tooLongAnswer(name, this.#options.maxMessageBytes), status: 400 } }) : text;
    }

    askBytes(name: string, args: string): Uint8Array | string | null {

        const reply = this.#request(name, args);
        return 'bytes' in reply ? reply.bytes : 'text' in reply ? null : textOf(reply);
    }

    compute(name: string, args: string): string {

        return compute(name, args, () => this.input());
    }

    input(): Uint8Array {

        return this.#message?.input ?? new Uint8Array();
    }

    output(bytes: Uint8Array): void {

        this.#checkRunning();
        const length = this.#output.length + bytes.byteLength;
        if (length > this.#options.maxMessageBytes) {
            throw new ScriptAborted('size', `an output of ${length} bytes is too long`);
        }

        this.#output.add(bytes);
    }

    outputText(json: string): void {

        this.output(new TextEncoder().encode(String(JSON.parse(json))));
    }

    isOver(): boolean {

        const now = performance.now();
        this.#slice.yieldIfDue(now, this.#deadline);
        return now > this.#deadline;
    }

    /** Throws if code runs after the end of its run: the main thread would take what it asks for as part of the next one. */
    #checkRunning(): void {

        if (!this.#message) {
            throw new ScriptAborted(null, 'the call is over');
        }
    }

    #request(name: string, args: string): Reply {

        this.#checkRunning();
        this.#slice.end();
        const reply = this.#channel.request((requestId) => this.#send({ kind: 'ask', requestId, name, args }), this.#deadline - performance.now());
        if (!reply) {
            throw new ScriptAborted('time', 'interrupted');
        }

        return reply;
    }

    #realm({ unit, version }: RunMessage): Realm {

        const cached = this.#realms.get(unit);
        if (cached?.version === version) {
            this.#realms.delete(unit);
            this.#realms.set(unit, cached);
            return cached.realm;
        }

        this.#remove(unit);
        const [oldest] = this.#realms.keys();
        if (oldest !== undefined && this.#realms.size >= REALMS) {
            this.#remove(oldest);
        }

        const realm = new Realm(this.#engine, { unit, options: this.#options, services: this });
        this.#realms.set(unit, { realm, version });
        return realm;
    }

    #remove(unit: string): void {

        const cached = this.#realms.get(unit);
        this.#realms.delete(unit);
        cached?.realm.dispose();
    }

    /** Removes a context. Returns false if the engine is in an undefined state. */
    #discard(unit: string): boolean {

        try {
            // A context whose creation failed leaves remains in the engine.
            const isComplete = this.#realms.has(unit);
            this.#remove(unit);
            return isComplete;
        }
        catch {
            return false;
        }
    }
}

/** Output in blocks: code may write it in millions of pieces. */
class OutputBlocks {

    length = 0;
    readonly #blocks: Uint8Array[] = [];
    #block = new Uint8Array();
    #used = 0;
    #isWritten = false;

    add(bytes: Uint8Array): void {

        this.#isWritten = true;
        if (this.#used + bytes.byteLength > this.#block.byteLength) {
            this.#end();
            this.#block = new Uint8Array(Math.max(OUTPUT_BLOCK, bytes.byteLength));
        }

        this.#block.set(bytes, this.#used);
        this.#used += bytes.byteLength;
        this.length += bytes.byteLength;
    }

    /** Returns all blocks: an empty one where only empty output was written, none where there was no output. */
    take(): readonly Uint8Array[] {

        this.#end();
        return this.#isWritten && this.#blocks.length === 0 ? [new Uint8Array()] : this.#blocks;
    }

    #end(): void {

        if (this.#used > 0) {
            // A copy of a part of a buffer would be sent with the whole buffer.
            this.#blocks.push(this.#used === this.#block.byteLength ? this.#block : this.#block.slice(0, this.#used));
        }

        this.#block = new Uint8Array();
        this.#used = 0;
    }
}

function isIntact(realm: Realm): boolean {

    try {
        return realm.recheck();
    }
    catch {
        return false;
    }
}

function isLevel(level: string): level is LogLevel {

    return level === 'info' || level === 'warn' || level === 'error';
}

/** Returns the JSON text of `{ value }` as received, or of `{ error }`. */
function textOf(reply: Reply): string {

    return 'text' in reply ? reply.text : JSON.stringify('error' in reply ? { error: reply.error } : {});
}

function failureOf(error: unknown): ScriptFailure {

    if (error instanceof ScriptAborted && error.limit) {
        return { kind: 'limit', limit: error.limit, message: error.limit === 'size' ? error.message : LIMITS[error.limit] };
    }

    if (error instanceof RangeError) {
        return { kind: 'limit', limit: 'stack', message: LIMITS.stack };
    }

    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: 'error', message, stack: authorStack(stack ?? '') };
}

async function main(): Promise<void> {

    const port = parentPort;
    if (!port) {
        throw new Error('this is started as a worker thread');
    }

    const data = workerData as ThreadData;
    const engine = await openEngine(data.options.memoryBytes, () => thread.endForLackOfMemory());
    lowerOwnPriority();
    const thread = new ScriptThread(engine, data, (message) => port.postMessage(message));
    port.on('message', (message: RunMessage) => thread.run(message));
    port.postMessage({ kind: 'ready' } satisfies ThreadMessage);
}

void main();
