/** The worker threads that the process starts, to see what becomes of it when they end. */

import workerThreads from 'node:worker_threads';

/** Threads that were started since somebody watches. */
export interface WatchedWorkers {
    /** Those that still run, newest last. */
    alive(script: string): workerThreads.Worker[];
    /** Ends the watch. */
    restore(): void;
}

/** Notes every thread that is started from now on. */
export function watchWorkers(): WatchedWorkers {

    const started: { readonly file: string; readonly worker: workerThreads.Worker }[] = [];
    const { Worker } = workerThreads;
    workerThreads.Worker = class extends Worker {

        constructor(file: string, options?: workerThreads.WorkerOptions) {

            super(file, options);
            started.push({ file, worker: this });
        }
    };
    return {
        alive: (script) => started.filter(({ file, worker }) => file.endsWith(script) && worker.threadId !== -1).map(({ worker }) => worker),
        restore() {

            workerThreads.Worker = Worker;
        }
    };
}
