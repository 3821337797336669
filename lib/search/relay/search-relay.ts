/** The relay for searches of worker processes: a thread that takes them from a Unix socket and gives them to the search thread. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Log } from '../../../db/log.js';

/** Milliseconds before a thread that has ended is started again; until then the primary process performs all searches. */
const RESTART_MS = 1000;

/** Gives a port with searches to the search thread. */
type Connect = (calls: MessagePort) => Promise<void>;

/** The thread, in the primary process. */
export class SearchRelay {

    readonly #socketPath: string;
    readonly #log: Log;
    #worker: Worker;
    /** The search thread that answers; null while there is none. */
    #connect: Connect | null = null;
    #timer: NodeJS.Timeout | undefined;
    #isClosed = false;

    constructor(socketPath: string, log: Log) {

        this.#socketPath = socketPath;
        this.#log = log;
        this.#worker = this.#start();
    }

    /** Gives all further searches to a search thread. */
    connect(connect: Connect): void {

        const { port1, port2 } = new MessageChannel();
        this.#connect = connect;
        this.#worker.postMessage(port1, [port1]);
        connect(port2).catch(() => {
            // That thread has ended; the next one is connected when it is ready.
        });
    }

    async close(): Promise<void> {

        this.#isClosed = true;
        clearTimeout(this.#timer);
        await this.#worker.terminate();
    }

    #start(): Worker {

        rmSync(this.#socketPath, { force: true });
        const worker = new Worker(join(__dirname, 'relay-worker.js'), { workerData: { socketPath: this.#socketPath } });
        worker.unref();
        let cause: Error | null = null;
        worker.on('error', (error) => {

            cause = error;
        });
        worker.once('exit', () => {

            if (!this.#isClosed) {
                this.#log.error({ event: 'search.relay-exited', err: cause }, 'thread for searches of worker processes exited, restarting');
                this.#timer = setTimeout(() => this.#restart(), RESTART_MS).unref();
            }
        });
        return worker;
    }

    #restart(): void {

        this.#worker = this.#start();
        if (this.#connect) {
            this.connect(this.#connect);
        }
    }
}
