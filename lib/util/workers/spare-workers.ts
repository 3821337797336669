/**
 * Worker threads that are started ahead of their clients: a thread takes tens of milliseconds until it serves calls, in which the main thread
 * can do other work. They get their options by a message, as these are not known yet.
 */

import { Worker } from 'node:worker_threads';

interface Spare {
    readonly worker: Worker;
    readonly forget: () => void;
}

const spares = new Map<string, Spare>();

/** Starts a thread that the next {@link takeWorker} of its script returns. It does not keep the process alive. */
export function startAhead(file: string): void {

    const worker = new Worker(file);
    // A thread that cannot start is started again by its client, which reports why it ends.
    const forget = (): void => {

        spares.delete(file);
    };

    worker.on('error', forget).on('exit', forget).unref();
    spares.set(file, { worker, forget });
}

/** Returns the thread that was started ahead, or a new one. */
export function takeWorker(file: string): Worker {

    const spare = spares.get(file);
    if (!spare) {
        return new Worker(file);
    }

    const { worker, forget } = spare;
    forget();
    return worker.off('error', forget).off('exit', forget);
}
