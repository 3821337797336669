/**
 * RPC server of a worker thread. Calls are served in FIFO order, or round-robin by caller; a long-running handler can yield to calls that
 * preempt it.
 */

import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { DoipError, type ErrorDetails } from '../../errors/errors.js';
import type { CallMessage, CallOrder } from './call-queue.js';
import { CallQueue } from './call-queue.js';

export type AnswerMessage =
    | { readonly id: number; readonly ok: true; readonly value: unknown }
    | { readonly id: number; readonly ok: false; readonly error: SentError };

/** A serialized error. */
export interface SentError {
    readonly message: string;
    readonly stack: string | undefined;
    /** Of a DoipError. */
    readonly status: string | null;
    readonly http: number | undefined;
    readonly attributes: ErrorDetails | undefined;
}

/** Result of an offered call that is not answered yet. */
export const DEFER = Symbol('later');

/** Calls that arrived while another one is running. */
export interface PendingCalls<C> {
    /**
     * Offers the pending calls in the order in which they would be served. A call is answered with the synchronous result or error of
     * `work`, unless that is {@link DEFER}.
     */
    offer(work: (call: C) => unknown): void;
}

/** Called with each call of another port than that of the owner: `serve` queues it, now or later; `reject` answers it with an error. */
export type Admission<C> = (call: C, serve: () => void, reject: (error: unknown) => void) => void;

/** The server of a thread. */
export interface CallServer<C> {
    /** Serves the calls of a further port as well, each once it is admitted. They are scheduled with those of the owner. */
    add(port: MessagePort, admission: Admission<C>): void;
}

/** How calls are scheduled. */
export interface CallScheduling<C> {
    /** Order of pending calls; FIFO by default. */
    readonly orderOf?: (call: C) => CallOrder;
    /** Maximum number of pending calls of a caller, and the error for further ones; default none. */
    readonly perCaller?: { readonly max: number; readonly error: () => Error };
}

/** A port besides that of the owner. */
interface FurtherPort<C> {
    readonly port: MessagePort;
    readonly admission: Admission<C>;
}

/** Calls `begin` with the options that the owner sends first, which begins to serve. */
export function receiveOptions<O>(begin: (options: O) => void): void {

    parentPort?.once('message', begin);
}

/**
 * Serves the calls of the thread's owner. Synchronous handlers run one after the other; asynchronous ones run concurrently, which the owner
 * must allow for.
 */
export function serveCalls<C>(handle: (call: C, pending: PendingCalls<C>) => unknown, scheduling: CallScheduling<C> = {}): CallServer<C> {

    if (!parentPort) {
        throw new Error('this is started as a worker thread');
    }

    const calls = new WorkerServer(parentPort, handle, scheduling);
    parentPort.on('message', (message: CallMessage<C>) => calls.enqueue(message));
    return calls;
}

class WorkerServer<C> implements PendingCalls<C>, CallServer<C> {

    readonly #port: MessagePort;
    readonly #handle: (call: C, pending: PendingCalls<C>) => unknown;
    readonly #queue: CallQueue<C>;
    readonly #perCaller: CallScheduling<C>['perCaller'];
    readonly #further = new Set<FurtherPort<C>>();
    /** Id of the last call of the owner. */
    #lastId = 0;
    #isRunning = false;

    constructor(port: MessagePort, handle: (call: C, pending: PendingCalls<C>) => unknown, { orderOf = () => 'in order', perCaller }: CallScheduling<C>) {

        this.#port = port;
        this.#handle = handle;
        this.#perCaller = perCaller;
        this.#queue = new CallQueue(orderOf);
    }

    enqueue(message: CallMessage<C>): void {

        this.#receiveOwn(message);
        this.#run();
    }

    add(port: MessagePort, admission: Admission<C>): void {

        const further = { port, admission };
        this.#further.add(further);
        port.on('message', (message: CallMessage<C>) => this.#arrive(further, message)).once('close', () => this.#further.delete(further));
    }

    /** Serves all calls, unless one is being served: the others follow it. */
    #run(): void {

        if (this.#isRunning) {
            return;
        }

        this.#isRunning = true;
        for (let next = this.#next(); next; next = this.#next()) {
            this.#answer(next, (own) => this.#handle(own, this));
        }

        this.#isRunning = false;
    }

    #receiveOwn(message: CallMessage<C>): void {

        this.#lastId = message.id;
        this.#push(message);
    }

    #push(message: CallMessage<C>): void {

        if (this.#perCaller && this.#queue.pendingWith(message.call) >= this.#perCaller.max) {
            this.#reject(message, this.#perCaller.error());
        }
        else {
            this.#queue.push(message);
        }
    }

    /** A call of another port comes after those of the owner that have arrived. */
    #arrive({ port, admission }: FurtherPort<C>, { id, call }: CallMessage<C>): void {

        const serve = (): void => {

            this.#push({ id: this.#lastId + 0.5, call, answerTo: { port, id } });
            this.#run();
        };

        admission(call, serve, (error) => port.postMessage({ id, ok: false, error: sent(error) } satisfies AnswerMessage));
    }

    offer(work: (call: C) => unknown): void {

        this.#receive();
        for (const message of this.#queue.sorted()) {
            if (this.#answer(message, work)) {
                this.#queue.remove(message);
            }
        }
    }

    /** Removes the next call to serve. */
    #next(): CallMessage<C> | undefined {

        this.#receive();
        return this.#queue.next();
    }

    /** Receives messages that have arrived meanwhile. */
    #receive(): void {

        for (let more = receiveMessageOnPort(this.#port); more; more = receiveMessageOnPort(this.#port)) {
            this.#receiveOwn(more.message as CallMessage<C>);
        }

        for (const further of this.#further) {
            for (let more = receiveMessageOnPort(further.port); more; more = receiveMessageOnPort(further.port)) {
                this.#arrive(further, more.message as CallMessage<C>);
            }
        }
    }

    /** Runs and answers a call; returns false if it is deferred. */
    #answer(message: CallMessage<C>, work: (call: C) => unknown): boolean {

        try {
            const value = work(message.call);
            if (value === DEFER) {
                return false;
            }

            if (value instanceof Promise) {
                value.then((result) => this.#send(message, result)).catch((error: unknown) => this.#reject(message, error));
            }
            else {
                this.#send(message, value);
            }
        }
        catch (error) {
            this.#reject(message, error);
        }

        return true;
    }

    #send({ id, answerTo = { port: this.#port, id } }: CallMessage<C>, value: unknown): void {

        answerTo.port.postMessage({ id: answerTo.id, ok: true, value } satisfies AnswerMessage);
    }

    #reject({ id, answerTo = { port: this.#port, id } }: CallMessage<C>, error: unknown): void {

        answerTo.port.postMessage({ id: answerTo.id, ok: false, error: sent(error) } satisfies AnswerMessage);
    }
}

function sent(error: unknown): SentError {

    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return error instanceof DoipError ?
        { message, stack, status: error.status, http: error.http, attributes: error.attributes } :
        { message, stack, status: null, http: undefined, attributes: undefined };
}
