/**
 * Entry point of the thread that passes searches of worker processes to the search thread: that one evaluates a query for long, and looks
 * at its ports meanwhile, but not at sockets. The main thread has no part in it.
 */

import { createServer, type Socket } from 'node:net';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { CallMessage } from '../../util/workers/call-queue.js';
import type { AnswerMessage } from '../../util/workers/worker-server.js';
import { onFrame, sendFrame } from './frames.js';
import { answerText, readSearch, type SearchCall } from './remote-protocol.js';

/** Whom a search is answered to. */
interface Requester {
    readonly socket: Socket;
    readonly id: number;
}

/** The port of a search thread, and the searches that it has not answered. */
class SearchPort {

    readonly #port: MessagePort;
    readonly #requesters = new Map<number, Requester>();
    #nextId = 1;
    isClosed = false;

    constructor(port: MessagePort) {

        this.#port = port;
        port.on('message', (message: AnswerMessage) => this.#answer(message));
        port.once('close', () => {

            // The primary process waits for the next thread.
            this.isClosed = true;
            this.#requesters.forEach(({ socket, id }) => sendFrame(socket, { id, text: answerText.none }));
            this.#requesters.clear();
        });
    }

    search(search: SearchCall, requester: Requester): void {

        const id = this.#nextId++;
        this.#requesters.set(id, requester);
        this.#port.postMessage({ id, call: search } satisfies CallMessage<SearchCall>);
    }

    #answer(message: AnswerMessage): void {

        const requester = this.#requesters.get(message.id);
        this.#requesters.delete(message.id);
        if (requester && !requester.socket.destroyed) {
            sendFrame(requester.socket, { id: requester.id, text: message.ok ? answerText.found(String(message.value)) : answerText.error(message.error) });
        }
    }
}

let current: SearchPort | null = null;

parentPort?.on('message', (port: MessagePort) => {

    current = new SearchPort(port);
});

createServer((socket) => {

    socket.on('error', () => socket.destroy());             // The worker has ended, and its searches with it
    onFrame(socket, ({ id, text }) => {

        if (current && !current.isClosed) {
            current.search(readSearch(text), { socket, id });
        }
        else {
            sendFrame(socket, { id, text: answerText.none });
        }
    });
}).listen((workerData as { readonly socketPath: string }).socketPath);
