/** The worker threads that the process starts, to see what becomes of it when they end. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import workerThreads from 'node:worker_threads';

const LIB = join(__dirname, '../../lib');

/** Threads that were started since somebody watches. */
export interface WatchedWorkers {
    /** Those that still run a script, named by its path below `lib`, newest last. Throws when there is no such script. */
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
        alive(script) {

            const path = join(LIB, script);
            if (!existsSync(path)) {
                throw new Error(`there is no ${path}`);
            }

            return started.filter(({ file, worker }) => file === path && worker.threadId !== -1).map(({ worker }) => worker);
        },

        restore() {

            workerThreads.Worker = Worker;
        }
    };
}
