/**
 * One thread for scripts as its owner sees it. It is started when it is first needed, runs one thing at a time, and is ended
 * when a script does not stop by itself.
 */

import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Desk } from './host-desk.js';
import { answerQuestion } from './host-desk.js';
import { LineAnswers } from './line.js';
import type { LogLevel, RunMessage, ThreadMessage, ThreadOptions } from './messages.js';
import type { ScriptFailure } from './script-error.js';
import type { ThreadData } from './script-thread.js';

/** What came of a run. */
export type RunOutcome =
    | { readonly kind: 'done'; readonly lines: string; readonly output: readonly Uint8Array[] }
    | { readonly kind: 'failed'; readonly failure: ScriptFailure };

/** One run. */
export interface Run {
    readonly message: Omit<RunMessage, 'budget'>;
    readonly desk: Desk;
    /** Milliseconds that the script may take. */
    readonly budget: number;
    readonly log: (level: LogLevel, text: string) => void;
}

/** A thread whose script has not stopped by itself for so long after its time is ended. */
const GRACE_MS = 300;

/** Wasm frames need so much more of the thread's stack than of their own. */
const STACK_RATIO = 64;
const MIB = 1024 * 1024;

interface Thread {
    readonly worker: Worker;
    readonly answers: LineAnswers;
    readonly ready: Promise<void>;
}

interface Current {
    readonly run: Run;
    readonly settle: (outcome: RunOutcome) => void;
}

/** A place where scripts run. */
export class ThreadSeat {

    readonly #options: ThreadOptions;
    #thread: Thread | null = null;
    #current: Current | null = null;

    constructor(options: ThreadOptions) {

        this.#options = options;
    }

    /** Runs; must not be called while something is running. Rejects when no thread can be started. */
    async run(run: Run): Promise<RunOutcome> {

        this.#thread ??= this.#start();
        const { worker, ready } = this.#thread;
        worker.ref();
        await ready;
        const timer = setTimeout(() => void this.#end(), run.budget + GRACE_MS);
        try {
            return await new Promise<RunOutcome>((resolve) => {

                this.#current = { run, settle: resolve };
                worker.postMessage({ ...run.message, budget: run.budget } satisfies RunMessage);
            });
        }
        finally {
            clearTimeout(timer);
            this.#current = null;
            worker.unref();
        }
    }

    /** True while there is a thread. */
    get isOpen(): boolean {

        return this.#thread !== null;
    }

    async close(): Promise<void> {

        await this.#end();
    }

    #start(): Thread {

        const { port1, port2 } = new MessageChannel();
        const bell = new SharedArrayBuffer(4);
        const { stackBytes } = this.#options;
        const worker = new Worker(join(__dirname, 'script-thread.js'), {
            workerData: { options: this.#options, line: { port: port2, bell } } satisfies ThreadData,
            transferList: [port2],
            env: {},
            resourceLimits: { stackSizeMb: 4 + Math.ceil(stackBytes * STACK_RATIO / MIB) }
        });
        const answers = new LineAnswers({ port: port1, bell });
        const ready = new Promise<void>((resolve, reject) => {

            worker.on('message', (message: ThreadMessage) => (message.kind === 'ready' ? resolve() : this.#receive(message, answers)));
            worker.on('error', reject);
            worker.on('exit', (code) => {

                reject(new Error(`a thread for scripts ended with code ${code}`));
                this.#lost(worker, answers);
            });
        });
        ready.catch(() => {
            // Whoever runs something sees it.
        });
        return { worker, answers, ready };
    }

    #receive(message: Exclude<ThreadMessage, { kind: 'ready' }>, answers: LineAnswers): void {

        const current = this.#current;
        if (!current) {
            return;
        }

        switch (message.kind) {
            case 'ask':
                void answerQuestion(current.run.desk, message.name, message.args).then((reply) => answers.answer(message.question, reply));
                break;
            case 'log':
                current.run.log(message.level, message.text);
                break;
            default: {
                if (message.retire) {
                    void this.#end();
                }

                current.settle(message);
            }
        }
    }

    async #end(): Promise<void> {

        const thread = this.#thread;
        this.#thread = null;
        await thread?.worker.terminate();
    }

    #lost(worker: Worker, answers: LineAnswers): void {

        answers.close();
        if (this.#thread?.worker === worker) {
            this.#thread = null;
        }

        this.#current?.settle({ kind: 'failed', failure: { kind: 'limit', limit: 'time', message: 'it did not stop in time' } });
    }
}
