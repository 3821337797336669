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

/** Hits of a page of a point in time, and how long it is kept between two pages; more than a client may stall. */
const PAGE = 1000;
const KEEP_ALIVE = '6m';

/** Time beyond the timeout of a search that its answer may take, in milliseconds. */
const GRACE_MS = 5000;

export interface EngineSearchParts {
    readonly client: EngineClient;
    /** Name of the index or alias. */
    readonly index: string;
    /** Timeout of a search, in milliseconds. */
    readonly timeoutMs: number;
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
            const pages = point ? onClose(pagesOf(point, hits, request), () => void point.close()) : blocksOf(hits);
            return { size: total, facets: readFacets(facets, counted), hits: pages };
        }
        catch (error) {
            await point?.close();
            throw error;
        }
    }

    async #open(body: object): Promise<PointInTime> {

        const { client, index } = this.#parts;
        const { pit_id: id } = await client.send<{ pit_id: string }>({
            method: 'POST', path: `/${index}/_search/point_in_time`, query: { keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false }
        });
        return new PointInTime({ id, body, ask: (page) => this.#ask(page, ''), close: async () => {

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
    readonly ask: (body: object) => Promise<EngineAnswer>;
    readonly close: () => Promise<void>;
}

/** All hits of a search, page by page. */
class PointInTime {

    readonly #parts: PointParts;
    #after: readonly unknown[] | null = null;
    #isClosed = false;

    constructor(parts: PointParts) {

        this.#parts = parts;
    }

    /** Returns the next page; facets and the total number come with the first. */
    async next(): Promise<EngineAnswer> {

        const { id, body, ask } = this.#parts;
        const after = this.#after;
        const answer = await ask({
            ...body, size: PAGE, pit: { id, keep_alive: KEEP_ALIVE },
            ...after === null ? {} : { search_after: after, track_total_hits: false, aggs: undefined }
        });
        this.#after = answer.hits.hits.at(-1)?.sort ?? null;
        return answer;
    }

    /** Releases the point in time, which otherwise ends by itself. */
    async close(): Promise<void> {

        if (!this.#isClosed) {
            this.#isClosed = true;
            await this.#parts.close().catch(() => {
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
        yield *blocksOf(hits.slice(Math.max(start - before, 0), end - before));
        before += hits.length;
        hits = hits.length < PAGE || before >= end ? [] : readHits(await point.next().catch(failed), request);
    }
}

function failed(error: unknown): never {

    throw error instanceof EngineError ? searchError(error) : error;
}
