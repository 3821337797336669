/** Synchronous channel: a worker thread blocks until the main thread replies, as the API for scripts is synchronous. */

import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort } from 'node:worker_threads';

/** The worker's end of the channel. */
export interface ChannelEndpoint {
    readonly port: MessagePort;
    /** Counter of replies. */
    readonly bell: SharedArrayBuffer;
}

/** Reply to one request; replies to requests that timed out are discarded. */
export interface NumberedReply<R> {
    readonly question: number;
    readonly reply: R;
}

/** The blocking end. */
export class SyncChannelClient<R> {

    readonly #port: MessagePort;
    readonly #bell: Int32Array;
    #question = 0;

    constructor({ port, bell }: ChannelEndpoint) {

        this.#port = port;
        this.#bell = new Int32Array(bell);
    }

    /** Sends a request and blocks; null when there is no reply within the time. */
    ask(send: (question: number) => void, milliseconds: number): R | null {

        const question = ++this.#question;
        const until = performance.now() + milliseconds;
        send(question);
        for (;;) {
            const rung = Atomics.load(this.#bell, 0);
            const received = receiveMessageOnPort(this.#port) as { message: NumberedReply<R> } | undefined;
            if (received?.message.question === question) {
                return received.message.reply;
            }

            const left = until - performance.now();
            if (!received && (left <= 0 || Atomics.wait(this.#bell, 0, rung, left) === 'timed-out')) {
                return null;
            }
        }
    }
}

/** The replying end. */
export class SyncChannelServer<R> {

    readonly #port: MessagePort;
    readonly #bell: Int32Array;

    constructor({ port, bell }: ChannelEndpoint) {

        this.#port = port;
        this.#bell = new Int32Array(bell);
    }

    answer(question: number, reply: R): void {

        this.#port.postMessage({ question, reply } satisfies NumberedReply<R>);
        Atomics.add(this.#bell, 0, 1);
        Atomics.notify(this.#bell, 0);
    }

    close(): void {

        this.#port.close();
    }
}
