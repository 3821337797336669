/**
 * The search index as a worker process has it: searches with few results go to the search thread of the primary process, through a socket,
 * and everything else is for the primary process itself.
 */

import { connect, type Socket } from 'node:net';
import { asAnswer, ForPrimary } from '../../errors/for-primary.js';
import { WorkTally } from '../../util/work-tally.js';
import { received } from '../../util/workers/worker-client.js';
import type { SearchRequest } from '../query/search-request.js';
import { BLOCK } from '../runtime/hit-pages.js';
import { GRACE_MS, type Found } from '../runtime/protocol.js';
import type { SearchAnswer, SearchIndex, SearchLoad } from '../runtime/search-index.js';
import type { WithoutCode } from './types-with-code.js';
import { onFrame, sendFrame } from '../relay/frames.js';
import { readAnswer, searchText } from '../relay/remote-protocol.js';

/** Milliseconds after a failed connection in which there is no other attempt. */
const RETRY_MS = 100;

export interface RemoteIndexOptions {
    /** Where the search thread takes searches. */
    readonly socketPath: string;
    /** Tells of objects that only the primary process can show, as type code has to do with them. */
    readonly code: Pick<WithoutCode, 'begin'>;
    /** True when other nodes write to the same database. */
    readonly isShared: boolean;
    /** Timeout of a search, in milliseconds; default 10 s. */
    readonly timeout?: number | undefined;
}

interface Pending {
    readonly resolve: (text: string) => void;
    readonly reject: (error: Error) => void;
}

export class RemoteIndex implements SearchIndex {

    /** A worker writes nothing. */
    readonly participant = { steps: forPrimary };
    readonly isEventual: boolean;
    readonly #socketPath: string;
    readonly #code: RemoteIndexOptions['code'];
    readonly #timeout: number;
    readonly #searches = new WorkTally();
    readonly #pending = new Map<number, Pending>();
    #socket: Socket | null = null;
    #failedAt = -Infinity;
    #nextId = 1;

    constructor({ socketPath, code, isShared, timeout = 10_000 }: RemoteIndexOptions) {

        this.isEventual = isShared;
        this.#socketPath = socketPath;
        this.#code = code;
        this.#timeout = timeout;
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        const { limit } = request;
        // Further hits are held by the thread, for a client that reads them.
        if (limit === null || limit > BLOCK) {
            throw new ForPrimary();
        }

        const began = performance.now();
        const mayShow = this.#code.begin();
        const answer = readAnswer(await this.#ask(request, limit));
        if (answer === null) {
            throw new ForPrimary();
        }

        if ('error' in answer) {
            this.#searches.add((performance.now() - began) / 1000, true);
            throw asAnswer(received(answer.error));
        }

        const { size, facets, hits } = JSON.parse(answer.found) as Found;
        if (!await mayShow(hits.map(({ id }) => id))) {
            throw new ForPrimary();
        }

        this.#searches.add((performance.now() - began) / 1000, false);
        return { size, facets, hits: onePage(hits) };
    }

    get load(): SearchLoad {

        return { isUp: true, pending: this.#pending.size, searches: this.#searches };
    }

    start = forPrimary;
    reindex = forPrimary;
    catchUp = forPrimary;
    usage = forPrimary;

    stop(): Promise<void> {

        this.#socket?.destroy();
        return Promise.resolve();
    }

    /** Returns the answer; rejects when there is none. */
    #ask({ caller = '', ...request }: SearchRequest, first: number): Promise<string> {

        const socket = this.#connected();
        const id = this.#nextId;
        this.#nextId = (id + 1) >>> 0;
        return new Promise<string>((resolve, reject) => {

            // The thread hangs; the primary process, which gets the search then, will see it as well.
            const timer = setTimeout(() => this.#take(id)?.reject(new ForPrimary()), this.#timeout + GRACE_MS).unref();
            const end = (): void => clearTimeout(timer);
            this.#pending.set(id, {
                resolve: (text) => {

                    end();
                    resolve(text);
                },
                reject: (error) => {

                    end();
                    reject(error);
                }
            });
            const search = { request: JSON.stringify(request), first, milliseconds: this.#timeout, requestedAt: Date.now(), caller };
            sendFrame(socket, { id, text: searchText(search) });
        });
    }

    /** Throws while there is no connection. */
    #connected(): Socket {

        if (this.#socket) {
            return this.#socket;
        }

        if (performance.now() - this.#failedAt < RETRY_MS) {
            throw new ForPrimary();
        }

        const socket = connect(this.#socketPath).unref();
        this.#socket = socket;
        onFrame(socket, ({ id, text }) => this.#take(id)?.resolve(text));
        socket.once('error', () => {

            this.#failedAt = performance.now();
        });
        socket.once('close', () => {

            this.#socket = null;
            for (const id of [...this.#pending.keys()]) {
                this.#take(id)?.reject(new ForPrimary());
            }
        });
        return socket;
    }

    #take(id: number): Pending | undefined {

        const pending = this.#pending.get(id);
        this.#pending.delete(id);
        return pending;
    }
}

function forPrimary(): Promise<never> {

    return Promise.reject(new ForPrimary());
}

async function *onePage<T>(hits: readonly T[]): AsyncGenerator<readonly T[], void, undefined> {

    if (hits.length > 0) {
        yield hits;
    }
}
