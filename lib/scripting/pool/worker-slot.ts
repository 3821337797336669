/**
 * A place where one script runs at a time, in a thread that is started when it is first needed. The thread is replaced when a
 * script does not stop by itself, when it breaks down, when its memory has grown too far, and ended when it is idle for long.
 */

import type { CpuScheduler } from '../protocol/cpu-scheduler.js';
import type { ThreadOptions, RunOutcome, Run } from '../protocol/messages.js';
import { ScriptWorker } from './script-worker.js';

/** A thread whose script has not stopped by itself for so long after its time is ended. */
const GRACE_MS = 300;

/** A script whose thread took long to start still gets so much time. */
const MIN_MS = 400;

/** A thread that nobody has needed for so long is ended, where nobody says otherwise. */
const IDLE_MS = 60_000;

/** Threads that a run is given to, one after the other, while they end before they have begun it. */
const ATTEMPTS = 3;

/** A place where scripts run. */
export class WorkerSlot {

    readonly #options: ThreadOptions;
    readonly #longRuns: CpuScheduler;
    readonly #idleMs: number;
    #link: ScriptWorker | null = null;
    #idle: NodeJS.Timeout | undefined;

    /** `idleMs`: milliseconds after which a thread that was not needed is ended. */
    constructor(options: ThreadOptions, longRuns: CpuScheduler, idleMs = IDLE_MS) {

        this.#options = options;
        this.#longRuns = longRuns;
        this.#idleMs = idleMs;
    }

    /** Runs; must not be called while something is running. Rejects when no thread can be started, or none comes to begin. */
    async run(run: Run): Promise<RunOutcome> {

        clearTimeout(this.#idle);
        let fault = new Error('threads for scripts end before they have begun');
        for (let attempt = 1; attempt <= ATTEMPTS; ++attempt) {
            const link = this.#open();
            await link.ready.catch((error: unknown) => {

                fault = error instanceof Error ? error : new Error(String(error));
            });
            const outcome = await this.#runIn(link, run);
            if (outcome) {
                return outcome;
            }
        }

        throw fault;
    }

    /** Null when the thread ended before it had begun. */
    async #runIn(link: ScriptWorker, run: Run): Promise<RunOutcome | null> {

        const budget = Math.max(MIN_MS, run.deadline - performance.now());
        const timer = setTimeout(() => {

            link.end({ kind: 'limit', limit: 'time', message: 'it took too long' });
        }, budget + GRACE_MS);
        const { outcome, retire } = await link.run(run, budget);
        clearTimeout(timer);
        if (retire) {
            this.#link = null;
            link.end(null);
        }
        else {
            this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
        }

        return outcome;
    }

    /** True while there is a thread. */
    get isOpen(): boolean {

        return this.#link?.isOpen === true;
    }

    /** Ends the thread; what is running fails. */
    async close(): Promise<void> {

        const link = this.#link;
        this.#link = null;
        clearTimeout(this.#idle);
        link?.end({ kind: 'error', message: 'the service is shutting down', stack: '' });
        await link?.ended;
    }

    #open(): ScriptWorker {

        if (this.#link?.isOpen !== true) {
            this.#link = new ScriptWorker(this.#options, this.#longRuns);
        }

        return this.#link;
    }
}
