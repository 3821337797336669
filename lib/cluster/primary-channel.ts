/** The primary process, as its worker reaches it. */

import cluster from 'node:cluster';
import type { CommitResult, Unit } from '../../db/database.js';
import type { WorkerLoad } from '../metrics/request-tally.js';
import type { Beginning, FromWorker, ToWorker } from './messages.js';
import type { CodeSurvey, TypesState } from '../scripting/hooks/search-code.js';
import { WORKER_VARIABLE } from './worker-pool.js';

/** True in a process that the primary process has started as its worker. */
export function isWorkerProcess(): boolean {

    return cluster.isWorker && process.env[WORKER_VARIABLE] === '1';
}

/** Milliseconds after which the question is sent again what code has to do with searches: code that could not be loaded may be able to be. */
const ASK_AGAIN_MS = 10_000;

/** True if no code has to do with searches. */
function isSettled({ isSearchFree, resolving }: CodeSurvey): boolean {

    return isSearchFree && resolving.size === 0;
}

/** The channel of a worker. */
export class PrimaryChannel {

    readonly #waiting = new Map<number, { resolve(result: CommitResult): void; reject(error: Error): void }>();
    #isOpen = false;
    #onOpen: (() => void) | null = null;
    #onStop: () => void = () => undefined;
    #units = 0;
    #reported: { readonly survey: CodeSurvey; readonly history: number } | null = null;
    #requested = { epoch: -1, history: -1, at: -Infinity };
    #begin: (beginning: Beginning) => void = () => undefined;
    #listen: () => void = () => undefined;
    /** Resolves when the primary process takes requests. */
    readonly canForward = new Promise<void>((resolve) => {

        this.#listen = resolve;
    });

    /** Asks for what is needed to begin. Ends the process when the primary process has ended. */
    async begin(): Promise<Beginning> {

        const beginning = new Promise<Beginning>((resolve) => {

            this.#begin = resolve;
        });
        process.on('message', (message: ToWorker) => this.#receive(message));
        process.once('disconnect', () => process.exit(0));
        process.channel?.ref();             // A module that was loaded before may not want to be kept alive by it
        this.#send({ kind: 'ready' });
        return await beginning;
    }

    /** Calls a function once the database can be read. */
    onOpen(action: () => void): void {

        this.#onOpen = action;
        if (this.#isOpen) {
            action();
        }
    }

    /** Calls a function when the requests in progress are to be finished. */
    onStop(action: () => void): void {

        this.#onStop = action;
    }

    /** Reports that this process accepts connections. */
    reportListening(): void {

        this.#send({ kind: 'listening' });
    }

    /** Reports what is for the metrics. */
    reportLoad(load: WorkerLoad): void {

        this.#send({ kind: 'load', load });
    }

    /** Reports that it cannot; resolves when that was sent. */
    async reportFailure(error: unknown): Promise<void> {

        const { message, code, address, port, syscall } = error as NodeJS.ErrnoException & { address?: string; port?: number };
        await new Promise((resolve) => process.send?.({ kind: 'failed', error: { message, code, address, port, syscall } } satisfies FromWorker, resolve));
    }

    /**
     * Tells what type code has to do with searches in a state of the types; null until the primary process has told. What it told before the
     * database lost commits is of another history, in which the same epoch may stand for another state.
     */
    codeOf({ epoch: own, storedEpoch: epoch }: TypesState): CodeSurvey | null {

        const now = performance.now();
        const history = own - epoch;
        const known = this.#reported?.history === history && this.#reported.survey.epoch === epoch ? this.#reported.survey : null;
        if (known && isSettled(known)) {
            return known;
        }

        const { epoch: requestedEpoch, history: requestedHistory, at } = this.#requested;
        if (requestedEpoch !== epoch || requestedHistory !== history || now - at > ASK_AGAIN_MS) {
            this.#requested = { epoch, history, at: now };
            this.#send({ kind: 'code', epoch, history });
        }

        return known;
    }

    /** Writes a unit by the primary process. */
    commit(unit: Unit): Promise<CommitResult> {

        return new Promise((resolve, reject) => {

            const id = ++this.#units;
            this.#waiting.set(id, { resolve, reject });
            this.#send({ kind: 'store', id, unit });
        });
    }

    #send(message: FromWorker): void {

        process.send?.(message);
    }

    #receive(message: ToWorker): void {

        switch (message.kind) {
            case 'begin':
                this.#begin(message.beginning);
                break;
            case 'listen':
                this.#listen();
                break;
            case 'open':
                this.#isOpen = true;
                this.#onOpen?.();
                break;
            case 'code':
                this.#reported = message;
                break;
            case 'stored': {
                const waiting = this.#waiting.get(message.id);
                this.#waiting.delete(message.id);
                if (message.result) {
                    waiting?.resolve(message.result);
                }
                else {
                    waiting?.reject(new Error('the primary process could not store it'));
                }

                break;
            }

            case 'stop':
                this.#onStop();
                break;
        }
    }
}
