/**
 * A line on which a thread can ask the main thread and wait for the answer, as scripts see their calls as synchronous.
 */

import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort } from 'node:worker_threads';

/** What a thread needs of its line. */
export interface ChannelEndpoint {
    readonly port: MessagePort;
    /** Counts the answers. */
    readonly bell: SharedArrayBuffer;
}

/** The answer to one question; questions that were given up are answered in vain. */
export interface NumberedReply<R> {
    readonly question: number;
    readonly reply: R;
}

/** The waiting end. */
export class SyncChannelClient<R> {

    readonly #port: MessagePort;
    readonly #bell: Int32Array;
    #question = 0;

    constructor({ port, bell }: ChannelEndpoint) {

        this.#port = port;
        this.#bell = new Int32Array(bell);
    }

    /** Sends a question and waits; null when there is no answer within so many milliseconds. */
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

/** The answering end. */
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
