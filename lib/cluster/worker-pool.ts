/**
 * Worker processes of the primary process, by `node:cluster`: started, started again after they ended, and stopped. They accept the
 * connections of clients; the primary process hands these out in turns.
 */

import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { CommitResult, Unit } from '../../db/database.js';
import type { WorkerLoad } from '../metrics/request-tally.js';
import type { CodeSurvey } from '../scripting/hooks/search-code.js';
import type { Beginning, FromWorker, SystemError, ToWorker } from './messages.js';
import { SocketFolder } from './socket-folder.js';

/** Environment variable of worker processes. */
export const WORKER_VARIABLE = 'DOIP_GATEWAY_WORKER';

/** Pause in milliseconds before a worker is started again that ended soon after its start: the first, doubled up to the maximum. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** A worker that lived for this time in milliseconds was no failed start. */
const LIVED_MS = 10_000;

/** What the primary process does for its workers. */
export interface WorkerServices {
    /** Writes units, for which they have no other connection. */
    store(unit: Unit): Promise<CommitResult>;
    /** Tells what type code has to do with searches, at an epoch of the types or a later one. */
    surveyCode(epoch: number): Promise<CodeSurvey>;
}

/** The workers of this process. */
export class WorkerPool {

    /** What each worker gets. */
    readonly beginning: Beginning;
    readonly #log: Logger;
    readonly #folder: SocketFolder;
    readonly #workers = new Map<Worker, { readonly since: number; isListening: boolean; connections: number }>();
    /** Called with what workers have done. */
    onLoad: (load: WorkerLoad) => void = () => undefined;
    readonly #pauses = new Set<NodeJS.Timeout>();
    #pauseMs = FIRST_PAUSE_MS;
    #services: WorkerServices | null = null;
    #isListening = false;
    #isStopping = false;
    #onListening: (() => void) | null = null;
    #onFailed: ((error: Error) => void) | null = null;

    private constructor(beginning: Beginning, folder: SocketFolder, log: Logger) {

        this.beginning = beginning;
        this.#folder = folder;
        this.#log = log;
    }

    /**
     * Prepares workers. They are started by {@link start}.
     *
     * @param address where clients connect; port 0 selects a free one
     */
    static async prepare(address: { readonly host: string; readonly port: number }, workers: number, log: Logger): Promise<WorkerPool> {

        const folder = await SocketFolder.create();
        const port = address.port === 0 ? await freePort(address.host) : address.port;
        const { socketPath, searchPath } = folder;
        return new WorkerPool({ port, workers, socketPath, searchPath, secret: randomBytes(24).toString('base64url') }, folder, log);
    }

    /** Starts all workers; resolves when they accept connections, which they do after {@link listen}, rejects when one cannot. */
    async start(): Promise<void> {

        cluster.setupPrimary({ serialization: 'advanced' });
        const listening = new Promise<void>((resolve, reject) => {

            this.#onListening = resolve;
            this.#onFailed = reject;
        });
        for (let i = 0; i < this.beginning.workers; ++i) {
            this.#fork();
        }

        await listening;
    }

    /** Number of workers that accept connections. */
    get count(): number {

        return [...this.#workers.values()].filter(({ isListening }) => isListening).length;
    }

    /** Number of open connections of clients, as reported within the last second. */
    get connections(): number {

        return [...this.#workers.values()].reduce((sum, { connections }) => sum + connections, 0);
    }

    /** Lets them accept connections, as this process takes requests. */
    listen(): void {

        this.#isListening = true;
        for (const worker of this.#workers.keys()) {
            send(worker, { kind: 'listen' });
        }
    }

    /** Announces that the database can be read. */
    open(services: WorkerServices): void {

        this.#services = services;
        for (const worker of this.#workers.keys()) {
            send(worker, { kind: 'open' });
        }
    }

    /** Lets all workers finish their requests; ends them after a time in milliseconds. Resolves when they have ended. */
    async stop(timeoutMs: number): Promise<void> {

        this.#isStopping = true;
        this.#pauses.forEach((pause) => clearTimeout(pause));
        const workers = [...this.#workers.keys()];
        const ended = Promise.all(workers.map((worker) => once(worker, 'exit')));
        workers.forEach((worker) => send(worker, { kind: 'stop' }));
        const timer = setTimeout(() => workers.forEach((worker) => worker.process.kill('SIGKILL')), timeoutMs);
        await ended;
        clearTimeout(timer);
        this.#folder.remove();
    }

    #fork(): void {

        const worker = cluster.fork({ [WORKER_VARIABLE]: '1' });
        const state = { since: performance.now(), isListening: false, connections: 0 };
        this.#workers.set(worker, state);
        worker.on('message', (message: FromWorker) => this.#receive(worker, message));
        worker.on('error', (error) => this.#log.error({ event: 'worker.channel-failed', err: error, pid: worker.process.pid }, 'worker process not reachable'));
        worker.once('exit', (code: number | null, signal: string | null) => this.#ended(worker, code, signal));
    }

    #receive(worker: Worker, message: FromWorker): void {

        switch (message.kind) {
            case 'ready':
                send(worker, { kind: 'begin', beginning: this.beginning });
                if (this.#isListening) {
                    send(worker, { kind: 'listen' });
                }

                if (this.#services) {
                    send(worker, { kind: 'open' });
                }

                break;
            case 'listening':
                this.#listens(worker);
                break;
            case 'load':
                this.#receiveLoad(worker, message.load);
                break;
            case 'failed':
                this.#failed(message.error);
                break;
            case 'code':
                this.#services?.surveyCode(message.epoch).then((survey) => send(worker, { kind: 'code', survey, history: message.history }), () => {
                    // The worker goes on to leave searches to this process.
                });
                break;
            case 'store':
                void this.#storeUnit(worker, message.id, message.unit);
                break;
        }
    }

    #receiveLoad(worker: Worker, load: WorkerLoad): void {

        const state = this.#workers.get(worker);
        if (state) {
            state.connections = load.connections;
        }

        this.onLoad(load);
    }

    #listens(worker: Worker): void {

        const state = this.#workers.get(worker);
        if (state) {
            state.isListening = true;
        }

        if (this.#onListening && this.count === this.beginning.workers) {
            this.#onListening();
            this.#onListening = null;
            this.#onFailed = null;
        }
    }

    #failed(error: SystemError): void {

        // In `node:cluster` the primary process binds the port of a worker that listens.
        const syscall = error.syscall === 'bind' ? 'listen' : error.syscall;
        this.#onFailed?.(Object.assign(new Error(error.message), error, { syscall }));
        this.#onFailed = null;
    }

    async #storeUnit(worker: Worker, id: number, unit: Unit): Promise<void> {

        const result = await this.#services?.store(unit).catch(() => null) ?? null;
        send(worker, { kind: 'stored', id, result });
    }

    #ended(worker: Worker, code: number | null, signal: string | null): void {

        const since = this.#workers.get(worker)?.since ?? 0;
        this.#workers.delete(worker);
        if (this.#isStopping) {
            return;
        }

        this.#log.error({ event: 'worker.ended', pid: worker.process.pid, code, signal }, 'worker process ended');
        if (this.#onFailed) {
            this.#failed({ message: `a worker process ended with ${signal ?? code} before it accepted connections` });
            return;
        }

        const hasLived = performance.now() - since > LIVED_MS;
        const pause = hasLived ? 0 : this.#pauseMs;
        this.#pauseMs = hasLived ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
        const timer = setTimeout(() => {

            this.#pauses.delete(timer);
            this.#fork();
        }, pause);
        this.#pauses.add(timer);
    }
}

/** A worker that has ended gets nothing. */
function send(worker: Worker, message: ToWorker): void {

    if (worker.isConnected()) {
        worker.send(message, () => undefined);
    }
}

async function freePort(host: string): Promise<number> {

    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
}
