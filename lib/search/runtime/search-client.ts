/**
 * The searching thread as the index sees it. Changes travel in groups, as JSON text: for the thread that answers requests this is
 * a fraction of the work of a message with an object for each of them. So do searches, and what they find. Whatever else is asked
 * comes after all changes that were told before. Searches that take less than the way to the thread are answered here.
 */

import { join } from 'node:path';
import { DoipError, tooManyRequests } from '../../errors/errors.js';
import { InFlightLimiter } from '../../identity/throttling/in-flight-limiter.js';
import type { FlushStats, Found, MoreFound, SearcherAnswers, SearcherCall, SearcherOptions } from './protocol.js';
import { InlineTermSearch } from './inline-search.js';
import type { SearchRequest } from '../query/search-request.js';
import type { Change } from '../indexing/live-segments.js';
import { WorkerClient } from '../../util/workers/worker-client.js';

/** Milliseconds that a change waits for others, when nobody searches. */
const GROUP_MS = 10;

/** Characters of a group that is sent at once. */
const GROUP_LENGTH = 256 * 1024;

/** Searches of one caller that wait for the thread, and seconds after which whoever is refused may ask again. */
const MAX_PENDING_SEARCHES = 1000;
const RETRY_AFTER = 1;

interface Group {
    readonly texts: string[];
    length: number;
    readonly answer: Promise<FlushStats>;
    readonly resolve: (backlog: Promise<FlushStats>) => void;
}

export class SearchClient {

    readonly #port: WorkerClient<SearcherCall, SearcherAnswers>;
    readonly #lost: (error: Error) => void;
    readonly #prompt: InlineTermSearch;
    readonly #searching = new InFlightLimiter(MAX_PENDING_SEARCHES);
    #group: Group | null = null;
    #timer: NodeJS.Timeout | undefined;

    /** @param lost told when the thread ends though nobody has ended it, or can be used no longer because changes are missing in it */
    constructor(options: Omit<SearcherOptions, 'removals'>, lost: (error: Error) => void) {

        const removals = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
        this.#prompt = new InlineTermSearch({
            lend: (wish) => this.call({ kind: 'lend', ...wish }), page: (wish, page) => this.call({ kind: 'page', page, ...wish })
        }, removals);
        this.#lost = (error) => {

            this.#prompt.close();
            lost(error);
        };

        this.#port = new WorkerClient(join(__dirname, 'search-worker.js'), this.#lost, {
            workerData: { ...options, removals } satisfies SearcherOptions, transferList: [options.sections.port]
        });
    }

    /** Rejects with 503 when the thread ends before it has answered. One that could not replace segments can be used no longer. */
    call<K extends SearcherCall['kind']>(call: SearcherCall & { readonly kind: K }): Promise<SearcherAnswers[K]> {

        if (call.kind === 'add' || call.kind === 'replace') {
            // What was lent would hold the memory of segments that are no more.
            this.#prompt.forget();
        }

        this.#send();
        const answer = this.#port.call<K>(call);
        if (call.kind === 'replace') {
            // What is stored has been switched: the thread would store again what it goes on to have, and read what is removed.
            answer.catch((error: Error) => this.#lost(error));
        }

        return answer;
    }

    /** Answers a search at once, with all its hits; null when it is not one of those that take next to nothing. */
    prompt(request: SearchRequest): Found | null {

        return this.#prompt.search(request);
    }

    /**
     * Searches; `first` hits come at once. Rejects as {@link call}, with 400 as the engine, with 503 when it takes longer than it may, and
     * with 429 when too many searches of the caller are not answered yet.
     */
    async search({ caller = '', ...request }: SearchRequest, first: number, milliseconds: number): Promise<Found> {

        if (this.#searching.isFull(caller)) {
            throw tooManyRequests(`${MAX_PENDING_SEARCHES} of your searches are still being answered, wait for some of them`, RETRY_AFTER);
        }

        const call = { kind: 'search', request: JSON.stringify(request), first, milliseconds, askedAt: Date.now(), caller } as const;
        return JSON.parse(await this.#searching.run(caller, () => this.call(call))) as Found;
    }

    /** Up to `count` further hits of a search. */
    async more(cursor: number, count: number): Promise<MoreFound> {

        return JSON.parse(await this.call({ kind: 'more', cursor, count })) as MoreFound;
    }

    /**
     * Resolves when the changes are applied.
     *
     * @param isUrgent whoever told them waits for that; others' changes may come together with further ones
     */
    apply(changes: readonly Change[], { isUrgent }: { readonly isUrgent: boolean }): Promise<FlushStats> {

        this.#prompt.forget();
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
            // The log has what is lost when the process ends before.
            this.#timer ??= setTimeout(() => this.#send(), GROUP_MS).unref();
        }

        return group.answer;
    }

    /** Ends the thread at once; what it has not answered is rejected. */
    async terminate(): Promise<void> {

        this.#prompt.close();
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

    /** What is changed has to be looked up in stored segments; where these cannot be read, the log has the changes for the next thread. */
    async #applyAll(changes: string): Promise<FlushStats> {

        try {
            return await this.#port.call({ kind: 'apply', changes });
        }
        catch (error) {
            if (error instanceof DoipError) {
                this.#lost(error);
            }

            throw error;
        }
    }
}

function newGroup(): Group {

    let resolve: Group['resolve'] = () => {};
    const answer = new Promise<FlushStats>((settle) => {

        resolve = settle;
    });
    return { texts: [], length: 0, answer, resolve };
}
