/**
 * Client of the search thread. Changes are sent in batches, as JSON text, which costs this thread a fraction of a message with an
 * object for each; searches and results are JSON text as well. All other calls are processed after the changes that were sent
 * before. Single-term searches are answered here when that takes less than the round trip.
 */

import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { DoipError } from '../../errors/errors.js';
import { InFlightLimiter } from '../../identity/throttling/in-flight-limiter.js';
import {
    MAX_PENDING_SEARCHES, SEARCH_THREAD, tooManySearches,
    type FlushStats, type Found, type MoreFound, type SearcherAnswers, type SearcherCall, type SearcherOptions
} from './protocol.js';
import { IndexProgress } from '../relay/index-progress.js';
import type { Need } from '../relay/remote-searches.js';
import { InlineTermSearch } from './inline-search.js';
import type { SearchRequest } from '../query/search-request.js';
import type { Change } from '../indexing/live-segments.js';
import { WorkerClient } from '../../util/workers/worker-client.js';

/** Milliseconds that a change waits for others to be batched with, unless it is urgent. */
const GROUP_MS = 10;

/** Characters of a batch above which it is sent at once. */
const GROUP_LENGTH = 256 * 1024;

interface Group {
    readonly texts: string[];
    length: number;
    readonly answer: Promise<FlushStats>;
    readonly resolve: (stats: Promise<FlushStats>) => void;
}

export class SearchClient {

    readonly #port: WorkerClient<SearcherCall, SearcherAnswers>;
    readonly #onExit: (error: Error) => void;
    /** Answers searches for rare terms without the thread. */
    readonly inline: InlineTermSearch;
    /** What is known to the thread without a message. */
    readonly progress = new IndexProgress();
    readonly #searching = new InFlightLimiter(MAX_PENDING_SEARCHES);
    #group: Group | null = null;
    #timer: NodeJS.Timeout | undefined;
    #needs: MessagePort | null = null;

    /**
     * @param onExit called when the thread ends unintentionally, or lacks changes and must not be used any more
     */
    constructor(options: Omit<SearcherOptions, 'removals'>, onExit: (error: Error) => void) {

        const removals = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
        this.inline = new InlineTermSearch({
            exportSnapshot: (request) => this.call({ kind: 'lend', ...request }), page: (request, page) => this.call({ kind: 'page', page, ...request })
        }, removals);
        this.#onExit = (error) => {

            this.inline.close();
            onExit(error);
        };

        this.#port = new WorkerClient(SEARCH_THREAD, this.#onExit, {
            first: { ...options, removals, progress: this.progress.memory } satisfies SearcherOptions, transferList: [options.sections.port]
        });
    }

    /** Calls the thread. Rejects with 503 when it ends before it has answered. A thread that failed to replace segments must not be used any more. */
    call<K extends SearcherCall['kind']>(call: SearcherCall & { readonly kind: K }, transferList: readonly MessagePort[] = []): Promise<SearcherAnswers[K]> {

        if (call.kind === 'add' || call.kind === 'replace') {
            // Snapshots would keep the memory of replaced segments.
            this.inline.forget();
        }

        this.#send();
        const answer = this.#port.call<K>(call, transferList);
        if (call.kind === 'replace') {
            // The replacement is committed in the database: the thread would store segments again that it still has, and read
            // removed ones.
            answer.catch((error: Error) => this.#onExit(error));
        }

        return answer;
    }

    /**
     * Searches; `first` hits come with the result. Rejects as {@link call}, with 400 for an invalid query, 503 on timeout, and 429
     * when too many searches of the caller are pending.
     */
    async search({ caller = '', ...request }: SearchRequest, first: number, milliseconds: number): Promise<Found> {

        if (this.#searching.isFull(caller)) {
            throw tooManySearches();
        }

        const call = { kind: 'search', request: JSON.stringify(request), first, milliseconds, requestedAt: Date.now(), caller } as const;
        return JSON.parse(await this.#searching.run(caller, () => this.call(call))) as Found;
    }

    /** Returns up to `count` further hits of a search. */
    async more(cursor: number, count: number): Promise<MoreFound> {

        return JSON.parse(await this.call({ kind: 'more', cursor, count })) as MoreFound;
    }

    /**
     * Resolves when the changes are applied.
     *
     * @param isUrgent true when the caller waits for that; otherwise the changes may be batched with further ones
     */
    apply(changes: readonly Change[], { isUrgent }: { readonly isUrgent: boolean }): Promise<FlushStats> {

        this.inline.forget();
        this.progress.give(changes.length);
        this.#group ??= newGroup();
        const group = this.#group;
        for (const change of changes) {
            const text = JSON.stringify(change);
            group.texts.push(text);
            group.length += text.length;
        }

        if (isUrgent || group.length > GROUP_LENGTH) {
            this.#send();
        }
        else {
            // When the process ends before, the changes are in the log.
            this.#timer ??= setTimeout(() => this.#send(), GROUP_MS).unref();
        }

        return group.answer;
    }

    /**
     * Lets the thread answer the searches of worker processes that come through a port.
     *
     * @param read reads the change log to its end; true if it could
     */
    async admit(calls: MessagePort, freshnessMs: number | null, read: () => Promise<boolean>): Promise<void> {

        const { port1, port2 } = new MessageChannel();
        this.#needs?.close();
        this.#needs = port1;
        port1.on('message', (need: Need) => void this.#meet(need, read)).unref();
        await this.call({ kind: 'admit', calls, needs: port2, freshnessMs }, [calls, port2]);
    }

    async #meet(need: Need, read: () => Promise<boolean>): Promise<void> {

        if (need.kind === 'changes') {
            this.#send();
            return;
        }

        await this.call({ kind: 'read', read: need.read, isRead: await read() }).catch(() => {
            // The thread has ended, and with it the searches that wait.
        });
    }

    /** Number of calls without an answer. */
    get pending(): number {

        return this.#port.pending;
    }

    /** Terminates the thread; pending calls are rejected. */
    async terminate(): Promise<void> {

        this.inline.close();
        this.progress.isOpen = false;
        this.#needs?.close();
        const ended = this.#port.terminate();
        this.#send();
        await ended;
    }

    #send(): void {

        clearTimeout(this.#timer);
        this.#timer = undefined;
        const group = this.#group;
        this.#group = null;
        group?.resolve(this.#applyAll(`[${group.texts.join(',')}]`));
    }

    /** Applying changes reads stored segments; when that fails, the next thread gets the changes from the log. */
    async #applyAll(changes: string): Promise<FlushStats> {

        try {
            return await this.#port.call({ kind: 'apply', changes, upTo: this.progress.send() });
        }
        catch (error) {
            if (error instanceof DoipError) {
                this.#onExit(error);
            }

            throw error;
        }
    }
}

function newGroup(): Group {

    let resolve: Group['resolve'] = () => {};
    const answer = new Promise<FlushStats>((report) => {

        resolve = report;
    });
    return { texts: [], length: 0, answer, resolve };
}
