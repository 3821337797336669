/** Searches in OpenSearch. Results for more than one page are read from a point in time, so that changes meanwhile do not matter. */

import { setImmediate } from 'node:timers/promises';
import { QueryTimeout } from '../query/query-deadline.js';
import { QueryCache } from '../query/query-cache.js';
import { readRequest } from '../query/request-parser.js';
import type { RequestInput } from '../query/request-parser.js';
import type { SearchHit, SearchRequest } from '../query/search-request.js';
import { BLOCK } from '../runtime/hit-pages.js';
import type { SearchAnswer } from '../runtime/search-index.js';
import { onClose } from '../../util/streams/on-close.js';
import type { EngineClient } from './engine-client.js';
import { EngineError, searchError } from './engine-error.js';
import { readFacets, readHits, translateFacets, translateRequest } from './request-translator.js';
import type { EngineAnswer, EngineTerms } from './request-translator.js';

/** The engine returns no hit behind this number without a point in time. */
const MAX_WINDOW = 10_000;

/** Hits of a page of a point in time. */
const PAGE = 1000;

/** How long the engine keeps a point in time that is not used, in milliseconds, and how often in this time one that is needed is used. */
const KEEP_ALIVE_MS = 360_000;
const REMINDERS = 3;

/** Time beyond the timeout of a search that its answer may take, in milliseconds. */
const GRACE_MS = 5000;

export interface EngineSearchParts {
    readonly client: EngineClient;
    /** Name of the index or alias. */
    readonly index: string;
    /** Timeout of a search, in milliseconds. */
    readonly timeoutMs: number;
    /** How long the engine keeps a point in time of a process that has ended, in milliseconds; default 6 minutes. */
    readonly keepAliveMs?: number;
}

/** Answers search requests. */
export class EngineSearch {

    readonly #parts: EngineSearchParts;
    readonly #queries = new QueryCache();

    constructor(parts: EngineSearchParts) {

        this.#parts = parts;
    }

    /** Searches. @throws DoipError 400 for an invalid query, 503 on timeout or when the engine does not answer */
    async search(request: SearchRequest): Promise<SearchAnswer> {

        // In the main thread, which has other work to do.
        await setImmediate();
        const input = readRequest(request, this.#queries);
        try {
            return await this.#search(request, input);
        }
        catch (error) {
            return failed(error);
        }
    }

    async #search(request: SearchRequest, input: RequestInput): Promise<SearchAnswer> {

        const { start, limit, facets } = request;
        const [firstFacets = {}, ...furtherFacets] = translateFacets(facets);
        const body = { ...translateRequest(request, input, this.#parts.timeoutMs), ...Object.keys(firstFacets).length > 0 ? { aggs: firstFacets } : {} };
        const size = Math.min(limit ?? PAGE, MAX_WINDOW - start);
        // A point in time takes longer than most searches, and few have more results than one page.
        const only = size >= Math.min(limit ?? PAGE, PAGE) ? await this.#ask({ ...body, from: start, size }) : null;
        const isWhole = only !== null && (limit === size || only.hits.total.value <= start + size);
        const point = isWhole ? null : await this.#open(body);
        try {
            const first = point ? await point.next() : only;
            if (first === null) {
                throw new Error('a search has a page or a point in time');
            }

            const counted: Record<string, EngineTerms> = { ...first.aggregations };
            for (const aggs of furtherFacets) {
                Object.assign(counted, (await this.#ask({ ...body, aggs, size: 0 })).aggregations);
            }

            const { value: total } = first.hits.total;
            const hits = readHits(first, request);
            const pages = point ? onClose(pagesOf(point, hits, request), () => point.close()) : blocksOf(hits);
            return { size: total, facets: readFacets(facets, counted), hits: pages };
        }
        catch (error) {
            point?.close();
            throw error;
        }
    }

    async #open(body: object): Promise<PointInTime> {

        const { client, index, keepAliveMs = KEEP_ALIVE_MS } = this.#parts;
        const { pit_id: id } = await client.send<{ pit_id: string }>({
            method: 'POST', path: `/${index}/_search/point_in_time`, query: { keep_alive: `${keepAliveMs}ms`, allow_partial_pit_creation: false }
        });
        return new PointInTime({ id, body, keepAliveMs, ask: (page) => this.#ask(page, ''), close: async () => {

            await client.send({ method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [id] } });
        } });
    }

    async #ask(body: object, path = `/${this.#parts.index}`): Promise<EngineAnswer> {

        const { client, timeoutMs } = this.#parts;
        const answer = await client.send<EngineAnswer>({
            method: 'POST', path: `${path}/_search`, body, query: { allow_partial_search_results: false }, timeoutMs: timeoutMs + GRACE_MS
        });
        if (answer.timed_out) {
            throw new QueryTimeout();
        }

        return answer;
    }
}

interface PointParts {
    readonly id: string;
    readonly body: object;
    readonly keepAliveMs: number;
    readonly ask: (body: object) => Promise<EngineAnswer>;
    readonly close: () => Promise<void>;
}

/** All hits of a search, page by page, however long it takes to read one. To be closed. */
class PointInTime {

    readonly #parts: PointParts;
    readonly #reminder: NodeJS.Timeout;
    #after: readonly unknown[] | null = null;
    #isClosed = false;

    constructor(parts: PointParts) {

        this.#parts = parts;
        this.#reminder = setInterval(() => void this.#remind(), Math.ceil(parts.keepAliveMs / REMINDERS)).unref();
    }

    /** Returns the next page; facets and the total number come with the first. */
    async next(): Promise<EngineAnswer> {

        const { body, ask } = this.#parts;
        const after = this.#after;
        const answer = await ask({
            ...body, size: PAGE, pit: this.#pit,
            ...after === null ? {} : { search_after: after, track_total_hits: false, aggs: undefined }
        });
        this.#after = answer.hits.hits.at(-1)?.sort ?? null;
        return answer;
    }

    get #pit(): object {

        const { id, keepAliveMs } = this.#parts;
        return { id, keep_alive: `${keepAliveMs}ms` };
    }

    /** A search without hits prolongs it. */
    async #remind(): Promise<void> {

        await this.#parts.ask({ query: { match_all: {} }, size: 0, track_total_hits: false, pit: this.#pit }).catch(() => {
            // There are further attempts. Where it is gone, the next page says so.
        });
    }

    /** Releases the point in time, which would be kept otherwise; nothing waits for that. */
    close(): void {

        if (!this.#isClosed) {
            this.#isClosed = true;
            clearInterval(this.#reminder);
            this.#parts.close().catch(() => {
                // The engine forgets it after some minutes.
            });
        }
    }
}

type Blocks = AsyncGenerator<readonly SearchHit[], void, undefined>;

/** Hits of one page, in blocks. */
async function *blocksOf(hits: readonly SearchHit[]): Blocks {

    for (let start = 0; start < hits.length; start += BLOCK) {
        await Promise.resolve();
        yield hits.slice(start, start + BLOCK);
    }
}

/** Hits from `start` up to the limit, on all pages. */
async function *pagesOf(point: PointInTime, first: readonly SearchHit[], request: SearchRequest): Blocks {

    const { start, limit } = request;
    const end = limit === null ? Infinity : start + limit;
    let hits = first;
    for (let before = 0; hits.length > 0 && before < end;) {
        const isLast = hits.length < PAGE || before + hits.length >= end;
        if (isLast) {
            point.close();
        }

        yield *blocksOf(hits.slice(Math.max(start - before, 0), end - before));
        before += hits.length;
        hits = isLast ? [] : readHits(await point.next().catch(failed), request);
    }
}

function failed(error: unknown): never {

    throw error instanceof EngineError ? searchError(error) : error;
}
