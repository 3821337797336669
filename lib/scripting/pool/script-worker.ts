/**
 * Handle of a worker thread for scripts, from its start to its end: sends runs, and answers host calls of the script.
 */

import { Worker } from 'node:worker_threads';
import { handleHostCall } from '../host/host-calls.js';
import { SyncChannelServer } from '../../util/workers/sync-channel.js';
import type { CpuScheduler } from '../protocol/cpu-scheduler.js';
import type { Reply, RunMessage, ThreadMessage, ThreadOptions, Run, RunOutcome } from '../protocol/messages.js';
import type { ScriptFailure } from '../protocol/script-error.js';
import { SCRIPT_THREAD } from '../sandbox/script-thread.js';
import type { ThreadData } from '../sandbox/worker-main.js';

/** End of a run. */
export interface RunResult {
    /** Null if the thread exited before it had begun the run, which can then be run in another one. */
    readonly outcome: RunOutcome | null;
    /** True if the thread must not be used again. */
    readonly retire: boolean;
}

/** Native stack that a WebAssembly frame needs, as a multiple of its size on the engine's own stack. */
const STACK_RATIO = 64;

/** Stack for the thread itself. */
const OWN_STACK_MB = 4;

/** Time in which a thread must be ready to run something. */
const START_TIMEOUT_MS = 20_000;

const MIB = 1024 * 1024;

const BROKEN: ScriptFailure = { kind: 'limit', limit: 'memory', message: 'the thread that ran it broke down' };

/** A worker thread. */
export class ScriptWorker {

    /** Rejects if the thread cannot be started in time. */
    readonly ready: Promise<void>;
    /** Resolves when the thread has exited. */
    readonly ended: Promise<void>;
    readonly #worker: Worker;
    readonly #answers = new SyncChannelServer<Reply>();
    readonly #startedRun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    #runs = 0;
    #isOpen = true;
    #current: { readonly run: Run; readonly resolve: (end: RunResult) => void } | null = null;
    #cause: ScriptFailure | null = null;

    constructor(options: ThreadOptions, scheduler: CpuScheduler, startTimeoutMs = START_TIMEOUT_MS) {

        const channel = this.#answers.endpoint;
        const data: ThreadData = { options, channel, startedRun: this.#startedRun.buffer, cpuSlots: scheduler.memory };
        this.#worker = new Worker(SCRIPT_THREAD, {
            workerData: data,
            transferList: [channel.port],
            env: {},
            // A crash of the engine is also reported there.
            stdout: true,
            stderr: true,
            resourceLimits: { stackSizeMb: OWN_STACK_MB + Math.ceil(options.stackBytes * STACK_RATIO / MIB) }
        });
        const { threadId } = this.#worker;
        this.#worker.stdout.resume();
        this.#worker.stderr.resume();
        this.ready = new Promise((resolve, reject) => {

            const timer = setTimeout(() => {

                reject(new Error(`a thread for scripts was not ready within ${startTimeoutMs} ms`));
                this.end(null);
            }, startTimeoutMs).unref();
            this.#worker.on('message', (message: ThreadMessage) => (message.kind === 'ready' ? resolve() : this.#receive(message)));
            this.#worker.on('error', reject);
            this.#worker.on('exit', (code) => reject(new Error(`a thread for scripts ended with code ${code}`)));
            this.#worker.once('message', () => clearTimeout(timer)).once('exit', () => clearTimeout(timer));
        });
        this.ready.catch(() => {
            // Reported by the next run.
        });
        this.ended = new Promise((resolve) => {

            this.#worker.on('exit', () => {

                scheduler.releaseThread(threadId);
                this.#lost();
                resolve();
            });
        });
    }

    /** False if it has exited or is being terminated. */
    get isOpen(): boolean {

        return this.#isOpen;
    }

    /** Runs a script; one run at a time. `budget` is the time limit in ms. */
    async run(run: Run, budget: number): Promise<RunResult> {

        const number = ++this.#runs;
        if (!this.#isOpen) {
            return this.#loss();
        }

        this.#worker.ref();
        return await new Promise((resolve) => {

            this.#current = {
                run,
                resolve: (end) => {

                    this.#current = null;
                    // An idle thread does not keep the process alive.
                    this.#worker.unref();
                    resolve(end);
                }
            };
            this.#worker.postMessage({ ...run.message, run: number, budget } satisfies RunMessage);
        });
    }

    /** Terminates the thread. `cause` is the failure of a running script; null if there is none. */
    end(cause: ScriptFailure | null): void {

        this.#cause ??= cause;
        this.#isOpen = false;
        void this.#worker.terminate();
    }

    #receive(message: Exclude<ThreadMessage, { kind: 'ready' }>): void {

        const current = this.#current;
        if (!current) {
            return;
        }

        switch (message.kind) {
            case 'ask':
                void this.#answer(current.run, message.requestId, message);
                break;
            case 'log':
                current.run.log(message.level, message.text, message.about);
                break;
            default: {
                const { retire, ...outcome } = message;
                current.resolve({ outcome, retire });
            }
        }
    }

    async #answer({ context }: Run, requestId: number, { name, args }: { name: string; args: string }): Promise<void> {

        this.#answers.answer(requestId, await handleHostCall(context, name, args));
    }

    #lost(): void {

        this.#isOpen = false;
        this.#answers.close();
        this.#current?.resolve(this.#loss());
    }

    /** Returns the result of the last run after the thread has exited. */
    #loss(): RunResult {

        const hasStarted = Atomics.load(this.#startedRun, 0) === this.#runs;
        const failure = this.#cause ?? (hasStarted ? BROKEN : null);
        return { outcome: failure && { kind: 'failed', failure }, retire: true };
    }
}
