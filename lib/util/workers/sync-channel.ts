/** Synchronous channel: a worker thread blocks until the main thread replies. */

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

/** The worker's end of the channel. */
export interface ChannelEndpoint {
    readonly port: MessagePort;
    /** Counter of replies. */
    readonly signal: SharedArrayBuffer;
}

/** Reply to one request; replies to requests that timed out are discarded. */
interface NumberedReply<R> {
    readonly requestId: number;
    readonly reply: R;
}

/** The blocking end. */
export class SyncChannelClient<R> {

    readonly #port: MessagePort;
    readonly #signal: Int32Array;
    #requestId = 0;

    constructor({ port, signal }: ChannelEndpoint) {

        this.#port = port;
        this.#signal = new Int32Array(signal);
    }

    /** Sends a request and blocks; null when there is no reply within the time. */
    request(send: (requestId: number, port: MessagePort) => void, milliseconds: number): R | null {

        const requestId = ++this.#requestId;
        const until = performance.now() + milliseconds;
        send(requestId, this.#port);
        for (;;) {
            const replies = Atomics.load(this.#signal, 0);
            const received = receiveMessageOnPort(this.#port) as { message: NumberedReply<R> } | undefined;
            if (received?.message.requestId === requestId) {
                return received.message.reply;
            }

            const left = until - performance.now();
            if (!received && (left <= 0 || Atomics.wait(this.#signal, 0, replies, left) === 'timed-out')) {
                return null;
            }
        }
    }
}

/** The replying end. */
export class SyncChannelServer<R> {

    readonly endpoint: ChannelEndpoint;
    readonly #port: MessagePort;
    readonly #signal: Int32Array;

    constructor() {

        const { port1, port2 } = new MessageChannel();
        const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
        this.endpoint = { port: port2, signal };
        this.#port = port1;
        this.#signal = new Int32Array(signal);
    }

    /** Handles requests that come through the channel, without keeping the process alive; others arrive by other means. */
    serve(handle: (message: unknown) => void): void {

        this.#port.on('message', handle);
        this.#port.unref();
    }

    answer(requestId: number, reply: R): void {

        this.#port.postMessage({ requestId, reply } satisfies NumberedReply<R>);
        Atomics.add(this.#signal, 0, 1);
        Atomics.notify(this.#signal, 0);
    }

    close(): void {

        this.#port.close();
    }
}
