/**
 * Slot for one script at a time, with a thread that is started on first use. The thread is replaced when a script does not stop
 * by itself, when it crashes, or when its memory has grown too far; it is stopped when idle for long.
 */

import type { CpuScheduler } from '../protocol/cpu-scheduler.js';
import type { ThreadOptions, RunOutcome, Run } from '../protocol/messages.js';
import { ScriptWorker } from './script-worker.js';

/** Grace period in ms after the time limit of a script, before its thread is terminated. */
const GRACE_MS = 300;

/** Minimum time in ms for a script that had to wait. */
const MIN_MS = 400;

/** Default idle time in ms after which a thread is stopped. */
const IDLE_MS = 60_000;

/** Maximum number of threads tried for a run if they exit before they have begun it. */
const ATTEMPTS = 3;

/** A worker slot. */
export class WorkerSlot {

    readonly #options: ThreadOptions;
    readonly #scheduler: CpuScheduler;
    readonly #idleMs: number;
    #worker: ScriptWorker | null = null;
    #idle: NodeJS.Timeout | undefined;

    /** @param idleMs idle time in ms after which the thread is stopped */
    constructor(options: ThreadOptions, scheduler: CpuScheduler, idleMs = IDLE_MS) {

        this.#options = options;
        this.#scheduler = scheduler;
        this.#idleMs = idleMs;
    }

    /** Runs a script; one run at a time. Rejects if no thread can be started, or none begins the run. */
    async run(run: Run): Promise<RunOutcome> {

        clearTimeout(this.#idle);
        let failure = new Error('threads for scripts end before they have begun');
        for (let attempt = 1; attempt <= ATTEMPTS; ++attempt) {
            const worker = this.#open();
            const began = performance.now();
            await worker.ready.catch((error: unknown) => {

                failure = error instanceof Error ? error : new Error(String(error));
            });
            const outcome = await this.#runIn(worker, run, performance.now() - began);
            if (outcome) {
                return outcome;
            }

            if (performance.now() > run.deadline) {
                break;
            }
        }

        throw failure;
    }

    /** Returns null if the thread exited before it had begun the run. The time in which the thread was started does not count. */
    async #runIn(worker: ScriptWorker, run: Run, startMs: number): Promise<RunOutcome | null> {

        const budget = Math.max(MIN_MS, run.deadline + startMs - performance.now());
        const timer = setTimeout(() => {

            worker.end({ kind: 'limit', limit: 'time', message: 'it took too long' });
        }, budget + GRACE_MS);
        const { outcome, retire } = await worker.run(run, budget);
        clearTimeout(timer);
        if (retire) {
            this.#worker = null;
            worker.end(null);
        }
        else {
            this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
        }

        return outcome;
    }

    /** True while there is a thread. */
    get isOpen(): boolean {

        return this.#worker?.isOpen === true;
    }

    /** Stops the thread; a running script fails. */
    async close(): Promise<void> {

        const worker = this.#worker;
        this.#worker = null;
        clearTimeout(this.#idle);
        worker?.end({ kind: 'error', message: 'the service is shutting down', stack: '' });
        await worker?.ended;
    }

    #open(): ScriptWorker {

        if (this.#worker?.isOpen !== true) {
            this.#worker = new ScriptWorker(this.#options, this.#scheduler);
        }

        return this.#worker;
    }
}
