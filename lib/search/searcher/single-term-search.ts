/**
 * Searches for one word in segments of which few documents have it: the same answers as those of the engine, without the sets and lists
 * as long as segments that make others fast.
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
import { hasDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Postings } from '../segment/postings.js';

/** More documents than these are not few, nor are more entries of a word. */
const MAX_DOCUMENTS = 1024;
const MAX_ENTRIES = 64;

/** Fewer documents are kept in order while others are looked at; more are sorted together. */
const MAX_SORTED = 32;

/** In which places few documents have a word; valid until the next search. */
export interface SparseResult {
    /** Documents that have the word in these places. */
    readonly size: number;
    readonly parts: readonly Found[];
    /** The numbers of all other places. */
    readonly left: readonly number[];
}

/** What goes into the scores of a word besides the documents that have it. */
export interface WordRanking {
    readonly leaf: TermQuery;
    /** What the word adds to a score at most. */
    readonly factor: number;
    /** So many of the first documents of each place. */
    readonly last: number;
    readonly includeScore: boolean;
}

/** What was found. */
export interface WordResult {
    readonly size: number;
    readonly hits: HitMerger;
}

/** The word of a search that asks for nothing else than the best documents that have it; null of others. */
export function singleTermOf({ filterQueries, conditions = [], facets, sort }: SearchRequest, query: Query): TermQuery | null {

    const [first, second] = sort;
    const isBestFirst = !first || !second && first.field === 'score' && first.reverse;
    const isOnly = filterQueries.length === 0 && conditions.length === 0 && facets.length === 0;
    return isBestFirst && isOnly && query.kind === 'term' && isWordLeaf(query) ? query : null;
}

/** The documents of a place are from one place of the lists up to another. */
interface Found {
    readonly place: TermContext;
    readonly start: number;
    readonly end: number;
}

export class SingleTermSearch {

    readonly #found = new SmallPostings(MAX_DOCUMENTS);
    readonly #scores = new Float32Array(MAX_DOCUMENTS);

    /** Null when more than few documents have the word. */
    search(leaf: TermQuery, places: TermContexts, request: SearchRequest): WordResult | null {

        const found = this.find(leaf, places);
        return found.left.length > 0 ? null : this.answer(leaf, found, { places, request });
    }

    /** The answer when no places are left. */
    answer(leaf: TermQuery, found: SparseResult, { places, request }: { readonly places: TermContexts; readonly request: SearchRequest }): WordResult {

        const { size } = found;
        const { start, limit, includeScore } = request;
        const factor = factorOf(idf(size, places.documents) * leaf.boost);
        const parts = this.rank(found, { leaf, factor, last: limit === 0 ? 0 : start + (limit ?? size), includeScore });
        return { size, hits: new HitMerger(parts, start, limit) };
    }

    /** Looks into the places of which few documents have the word, and few all together. */
    find({ term }: TermQuery, { places }: TermContexts): SparseResult {

        const parts: Found[] = [];
        const left: number[] = [];
        let size = 0;
        // Later ones are smaller as a rule.
        for (let i = places.length - 1; i >= 0; --i) {
            const place = places[i] as TermContext;
            const end = this.#read(term, place, size);
            if (end === -1) {
                left.unshift(i);
                continue;
            }

            if (end > size) {
                parts.push({ place, start: size, end });
            }

            size = end;
        }

        return { size, parts, left };
    }

    /** The best documents of each place, in order. */
    rank({ parts }: SparseResult, { leaf, factor, last, includeScore }: WordRanking): RankedSegment[] {

        const isValue = lengthFields(leaf).length === 0;
        return last === 0 ? [] : parts.map((part) => {

            this.#score(part, factor, isValue);
            return this.#rank(part, last, includeScore);
        });
    }

    /** Reads the visible documents of a word from a place of the lists on. Returns their end, -1 when there are too many. */
    #read(term: string, { spaces, fields, payloadFields, visible, payloads }: TermContext, start: number): number {

        const list = this.#found;
        list.end = start;
        for (const space of spaces) {
            const number = space.find(term);
            if (number === -1) {
                continue;
            }

            const [first, end] = [space.firstEntry(number), space.firstEntry(number + 1)];
            if (end - first > MAX_ENTRIES) {
                return -1;
            }

            for (let entry = first; entry < end; ++entry) {
                const field = space.fieldOf(entry);
                if (fields && !fields.includes(field)) {
                    continue;
                }

                const isHidden = payloads !== null && space.name === 'text' && field < payloadFields;
                if (!list.add(space.postings, entry, { start, allowed: isHidden ? payloads : null })) {
                    return -1;
                }
            }
        }

        list.keep(start, visible);
        return list.end;
    }

    #score({ place, start, end }: Found, factor: number, isValue: boolean): void {

        const { documents, frequencies } = this.#found;
        const scores = this.#scores;
        const [only, second] = place.lengths;
        if (only && !second && !only.documents && !isValue) {
            const { bytes, norms } = only;
            for (let i = start; i < end; ++i) {
                scores[i] = score(factor, frequencies[i] as number, norms[bytes[documents[i] as number] as number] as number);
            }

            return;
        }

        for (let i = start; i < end; ++i) {
            scores[i] = score(factor, frequencies[i] as number, isValue ? NORM_OF_VALUES : normIn(place, documents[i] as number));
        }
    }

    /** The best documents of a place, in order. */
    #rank({ place, start, end }: Found, last: number, keepScores: boolean): RankedSegment {

        const order = topK(this.#scores, { start, end, last }, this.#comparator(place));
        const documents = order.map((at) => this.#found.documents[at] as number);
        const scores = Float32Array.from(order, (at) => this.#scores[at] as number);
        return {
            documents, scores: keepScores ? scores : null,
            keys: [
                ...BEST_FIRST.map((field) => rankKey(field, null, { documents, scores })),
                ...LAST_KEYS.map((field, i) => rankKey(field, place.lastColumns[i] ?? null, { documents, scores }))
            ],
            idOf: (document) => idOf(place.ids, document)
        };
    }

    /** Is the document at a place of the lists before another? */
    #comparator({ lastColumns }: TermContext): (a: number, b: number) => boolean {

        const scores = this.#scores;
        const { documents } = this.#found;
        return (a, b) => {

            const [left, right] = [scores[a] as number, scores[b] as number];
            if (left !== right) {
                return left > right;
            }

            for (const column of lastColumns) {
                const ranks = column?.ranks();
                const difference = ranks ? (ranks[documents[a] as number] as number) - (ranks[documents[b] as number] as number) : 0;
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

/** The first `last` of the places from `start` to `end`, best first; `isBefore` decides between two. */
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
    let kept = 0;
    let least = 0;
    for (let place = start; place < end; ++place) {
        // Most need no more than a look at their score.
        if (kept === count && ((scores[place] as number) < least || !isBefore(place, best[count - 1] as number))) {
            continue;
        }

        let hole = kept < count ? kept++ : count - 1;
        for (; hole > 0 && isBefore(place, best[hole - 1] as number); --hole) {
            best[hole] = best[hole - 1] as number;
        }

        best[hole] = place;
        least = scores[best[kept - 1] as number] as number;
    }

    return best;
}

export class SmallPostings {

    readonly documents: Uint32Array;
    readonly frequencies: Uint32Array;
    end = 0;

    /** @param most documents that it has room for */
    constructor(most: number) {

        this.documents = new Uint32Array(most);
        this.frequencies = new Uint32Array(most);
    }

    /**
     * Adds the documents of an entry to those that are in the list from a place on; of documents that are there already the
     * occurrences are summed up. False when there is no room.
     *
     * @param options `allowed`: only these; null for all
     */
    add(postings: Postings, entry: number, { start, allowed }: { readonly start: number; readonly allowed: DocumentSet | null }): boolean {

        const { documents, frequencies, end } = this;
        if (end + postings.count(entry) > documents.length) {
            return false;
        }

        this.end += postings.read(entry, documents, frequencies, end);
        if (allowed) {
            this.keep(end, allowed);
        }

        if (end > start && this.end > end) {
            this.#merge(start, end);
        }

        return true;
    }

    /** Removes documents from a place on that are not in a set. */
    keep(start: number, set: DocumentSet): void {

        if (set.kind === 'many' && set.kept?.isAll) {
            return;
        }

        const { documents, frequencies } = this;
        let kept = start;
        for (let i = start; i < this.end; ++i) {
            const document = documents[i] as number;
            if (hasDocument(set, document)) {
                documents[kept] = document;
                frequencies[kept++] = frequencies[i] as number;
            }
        }

        this.end = kept;
    }

    /** Makes one run of two in order: one up to a place and one from there on. */
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
