/**
 * Fast path for queries of a single term in segments in which it is rare: same results as IndexSearcher, without sets and buffers
 * of the size of the segment.
 */

import { factorOf, NORM_OF_VALUES, normOf, idf, score } from '../scoring/bm25.js';
import { HitMerger } from '../collectors/hit-merger.js';
import type { RankedSegment } from '../collectors/hit-merger.js';
import { decodeLength } from '../segment/norms.js';
import type { Query, TermQuery } from '../query/query.js';
import { isWordLeaf, lengthFields } from '../scoring/scored-clauses.js';
import type { SearchRequest } from '../query/search-request.js';
import { BEST_FIRST, idOf, LAST_KEYS, rankKey } from '../collectors/sort-keys.js';
import { indexInList } from '../docset/sorted-doc-ids.js';
import type { TermContext, TermContexts } from './term-contexts.js';
import { termsOf } from '../matching/stem-terms.js';
import { hasPayloadTerms } from '../segment/format.js';
import { hasDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Postings } from '../segment/postings.js';

/** Maximum number of documents, and of entries of the term in a segment. */
const MAX_DOCUMENTS = 1024;
const MAX_ENTRIES = 64;

/** Maximum number of hits selected by insertion; more are sorted as a whole. */
const MAX_SORTED = 32;

/** Matches in the segments in which the term is rare; valid until the next search. */
export interface SparseResult {
    /** Number of documents in these segments. */
    readonly size: number;
    readonly parts: readonly Found[];
    /** Indices of all other segments. */
    readonly left: readonly number[];
}

/** Parameters for ranking the documents of a term. */
export interface RankingOptions {
    readonly leaf: TermQuery;
    /** BM25 factor of the term. */
    readonly factor: number;
    /** Number of hits wanted of each segment. */
    readonly last: number;
    readonly includeScore: boolean;
}

/** Result of a search. */
export interface SingleTermResult {
    readonly size: number;
    readonly hits: HitMerger;
}

/** Returns the term of a search for nothing but the best matches of a single term; null for other searches. */
export function singleTermOf({ filterQueries, conditions = [], facets, sort }: SearchRequest, query: Query): TermQuery | null {

    const [first, second] = sort;
    const isBestFirst = !first || !second && first.field === 'score' && first.reverse;
    const isOnly = filterQueries.length === 0 && conditions.length === 0 && facets.length === 0;
    return isBestFirst && isOnly && query.kind === 'term' && isWordLeaf(query) ? query : null;
}

/** Documents of a segment: a range of the result buffers. */
interface Found {
    readonly context: TermContext;
    readonly start: number;
    readonly end: number;
}

export class SingleTermSearch {

    readonly #found = new SmallPostings(MAX_DOCUMENTS);
    readonly #scores = new Float32Array(MAX_DOCUMENTS);

    /** Searches all segments; null when the term is not rare in all of them. */
    search(leaf: TermQuery, contexts: TermContexts, request: SearchRequest): SingleTermResult | null {

        const found = this.find(leaf, contexts);
        return found.left.length > 0 ? null : this.answer(leaf, found, { termContexts: contexts, request });
    }

    /** Returns the result when no segments are left. */
    answer(
        leaf: TermQuery, found: SparseResult, { termContexts: contexts, request }: { readonly termContexts: TermContexts; readonly request: SearchRequest }
    ): SingleTermResult {

        const { size } = found;
        const { start, limit, includeScore } = request;
        const factor = factorOf(idf(size, contexts.documents) * leaf.boost);
        const parts = this.rank(found, { leaf, factor, last: limit === 0 ? 0 : start + (limit ?? size), includeScore });
        return { size, hits: new HitMerger(parts, start, limit) };
    }

    /** Finds the documents in segments in which the term is rare, as long as they are few in all. */
    find(leaf: TermQuery, { contexts }: TermContexts): SparseResult {

        const parts: Found[] = [];
        const left: number[] = [];
        let size = 0;
        // Younger segments are smaller as a rule.
        for (let i = contexts.length - 1; i >= 0; --i) {
            const context = contexts[i] as TermContext;
            const end = this.#read(leaf, context, size);
            if (end === -1) {
                left.unshift(i);
                continue;
            }

            if (end > size) {
                parts.push({ context, start: size, end });
            }

            size = end;
        }

        return { size, parts, left };
    }

    /** Returns the best documents of each segment, in order. */
    rank({ parts }: SparseResult, { leaf, factor, last, includeScore }: RankingOptions): RankedSegment[] {

        const isValue = lengthFields(leaf).length === 0;
        return last === 0 ? [] : parts.map((part) => {

            this.#score(part, factor, isValue);
            return this.#rank(part, last, includeScore);
        });
    }

    /** Appends the visible documents of a term to the buffers from an index on. Returns their end, -1 when there are too many. */
    #read(leaf: TermQuery, { dictionaries, fields, payloadFields, visible, payloads }: TermContext, start: number): number {

        const list = this.#found;
        list.end = start;
        for (const [dictionary, number] of dictionaries.flatMap((dictionary) => termsOf(dictionary, leaf).map((term) => [dictionary, term] as const))) {
            const [first, end] = [dictionary.firstEntry(number), dictionary.firstEntry(number + 1)];
            if (end - first > MAX_ENTRIES) {
                return -1;
            }

            for (let entry = first; entry < end; ++entry) {
                const field = dictionary.fieldOf(entry);
                if (fields && !fields.includes(field)) {
                    continue;
                }

                const isHidden = payloads !== null && hasPayloadTerms(dictionary.name) && field < payloadFields;
                if (!list.add(dictionary.postings, entry, { start, allowed: isHidden ? payloads : null })) {
                    return -1;
                }
            }
        }

        list.retain(start, visible);
        return list.end;
    }

    #score({ context, start, end }: Found, factor: number, isValue: boolean): void {

        const { documents, frequencies } = this.#found;
        const scores = this.#scores;
        const [only, second] = context.lengths;
        if (only && !second && !only.documents && !isValue) {
            const { bytes, norms } = only;
            for (let i = start; i < end; ++i) {
                scores[i] = score(factor, frequencies[i] as number, norms[bytes[documents[i] as number] as number] as number);
            }

            return;
        }

        for (let i = start; i < end; ++i) {
            scores[i] = score(factor, frequencies[i] as number, isValue ? NORM_OF_VALUES : normIn(context, documents[i] as number));
        }
    }

    /** Returns the best documents of a segment, in order. */
    #rank({ context, start, end }: Found, last: number, keepScores: boolean): RankedSegment {

        const order = topK(this.#scores, { start, end, last }, this.#comparator(context));
        const documents = order.map((at) => this.#found.documents[at] as number);
        const scores = Float32Array.from(order, (at) => this.#scores[at] as number);
        return {
            documents, scores: keepScores ? scores : null,
            keys: [
                ...BEST_FIRST.map((field) => rankKey(field, null, { documents, scores })),
                ...LAST_KEYS.map((field, i) => rankKey(field, context.lastColumns[i] ?? null, { documents, scores }))
            ],
            idOf: (document) => idOf(context.ids, document)
        };
    }

    /** Returns whether the document at one index of the buffers sorts before that at another. */
    #comparator({ lastColumns }: TermContext): (a: number, b: number) => boolean {

        const scores = this.#scores;
        const { documents } = this.#found;
        return (a, b) => {

            const [left, right] = [scores[a] as number, scores[b] as number];
            if (left !== right) {
                return left > right;
            }

            for (const column of lastColumns) {
                const ordinals = column?.docOrdinals();
                const difference = ordinals ? (ordinals[documents[a] as number] as number) - (ordinals[documents[b] as number] as number) : 0;
                if (difference !== 0) {
                    return difference < 0;
                }
            }

            return false;
        };
    }
}

function normIn({ lengths }: TermContext, document: number): number {

    let relative = 0;
    for (const { bytes, documents, average } of lengths) {
        const at = documents ? indexInList(documents, document) : document;
        relative += at === -1 ? 0 : decodeLength(bytes[at] as number) / average;
    }

    return normOf(relative);
}

/** Returns the best `last` of the indices from `start` to `end`, in order. */
function topK(
    scores: Float32Array, { start, end, last }: { readonly start: number; readonly end: number; readonly last: number },
    isBefore: (a: number, b: number) => boolean
): Uint32Array {

    const count = Math.min(last, end - start);
    if (count > MAX_SORTED) {
        const all = Uint32Array.from({ length: end - start }, (_, i) => start + i);
        return all.sort((a, b) => (isBefore(a, b) ? -1 : Number(isBefore(b, a)))).subarray(0, count);
    }

    const best = new Uint32Array(count);
    let filled = 0;
    let least = 0;
    for (let index = start; index < end; ++index) {
        // Comparing scores rules out most.
        if (filled === count && ((scores[index] as number) < least || !isBefore(index, best[count - 1] as number))) {
            continue;
        }

        let hole = filled < count ? filled++ : count - 1;
        for (; hole > 0 && isBefore(index, best[hole - 1] as number); --hole) {
            best[hole] = best[hole - 1] as number;
        }

        best[hole] = index;
        least = scores[best[filled - 1] as number] as number;
    }

    return best;
}

/** Buffers for a small number of postings. */
class SmallPostings {

    readonly documents: Uint32Array;
    readonly frequencies: Uint32Array;
    end = 0;

    /**
     * @param capacity capacity in documents
     */
    constructor(capacity: number) {

        this.documents = new Uint32Array(capacity);
        this.frequencies = new Uint32Array(capacity);
    }

    /**
     * Adds the documents of an entry to those from an index on; frequencies of documents that are already there are summed. Returns
     * false when the capacity does not suffice.
     *
     * @param options `allowed`: only these documents; null for all
     */
    add(postings: Postings, entry: number, { start, allowed }: { readonly start: number; readonly allowed: DocumentSet | null }): boolean {

        const { documents, frequencies, end } = this;
        if (end + postings.count(entry) > documents.length) {
            return false;
        }

        this.end += postings.read(entry, documents, frequencies, end);
        if (allowed) {
            this.retain(end, allowed);
        }

        if (end > start && this.end > end) {
            this.#merge(start, end);
        }

        return true;
    }

    /** Removes documents from an index on that are not in a set. */
    retain(start: number, set: DocumentSet): void {

        if (set.kind === 'many' && set.cached?.isAll) {
            return;
        }

        const { documents, frequencies } = this;
        let filled = start;
        for (let i = start; i < this.end; ++i) {
            const document = documents[i] as number;
            if (hasDocument(set, document)) {
                documents[filled] = document;
                frequencies[filled++] = frequencies[i] as number;
            }
        }

        this.end = filled;
    }

    /** Merges two sorted runs: from `start` to `middle`, and from there to the end. */
    #merge(start: number, middle: number): void {

        const { documents, frequencies } = this;
        const [first, second] = [documents.slice(start, middle), documents.slice(middle, this.end)];
        const [often, oftenToo] = [frequencies.slice(start, middle), frequencies.slice(middle, this.end)];
        let end = start;
        for (let i = 0, j = 0; i < first.length || j < second.length; ++end) {
            const [left, right] = [first[i] ?? Infinity, second[j] ?? Infinity];
            documents[end] = Math.min(left, right);
            frequencies[end] = (left <= right ? often[i++] as number : 0) + (right <= left ? oftenToo[j++] as number : 0);
        }

        this.end = end;
    }
}
