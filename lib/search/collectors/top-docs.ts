/**
 * Sorts the matching documents of one segment, or selects the first of them. A key is one number per document; texts are compared
 * by their ordinals.
 */

import { emptyBits, hasBit, setBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import type { DocOrdinals } from '../segment/doc-values.js';
import { listOf } from '../docset/doc-id-set.js';
import type { CountedSet, DocumentSet } from '../docset/doc-id-set.js';
import { groupBy } from '../docset/counting-sort.js';

/** A sort key. */
export interface SortKey {
    /** By document: a score, or the ordinal plus one (0 for none). */
    readonly ordinals: DocOrdinals | Float32Array;
    readonly reverse: boolean;
    /** Maximum rank; null for scores. */
    readonly greatest: number | null;
    /** Returns all documents by this key (not reversed) and the tie breakers, if that order can be cached. */
    readonly order?: (() => Uint32Array) | undefined;
}

/** Maximum number of documents selected with a heap. */
const HEAP_LIMIT = 4096;

/** Cached orders are walked when at least one in this number of documents matches. */
const DENSE_SHARE = 64;

/** Number of documents from which sorting takes linear time instead of comparing. */
const SMALL_RESULT = 256;

/**
 * Returns the first `limit` matching documents in order. The last key must be unique for each document.
 *
 * @param keys sort keys, the first one decides first
 * @param options `among`: a list that has all matching documents without duplicates, maybe with others; null for none
 */
export function orderDocuments(
    { matches, count }: CountedSet, keys: readonly SortKey[], { limit, among }: { limit: number; among: Uint32Array | null }
): Uint32Array {

    const maxHits = Math.min(count, limit);
    const [first] = keys;
    if (maxHits === 0 || !first) {
        return new Uint32Array(0);
    }

    if (first.order && (matches.kind === 'many' && count * DENSE_SHARE >= matches.bits.length * 32 || isShortWalk(first, count, maxHits))) {
        return walkOrder(bitsOf(matches, first.ordinals.length), { ...first, order: first.order }, maxHits);
    }

    const isSelected = maxHits <= HEAP_LIMIT && maxHits * 4 < count;
    if (isSelected && first.ordinals instanceof Float32Array && first.reverse) {
        const isList = matches.kind === 'few' || !among;
        return selectBest(isList ? listOf(matches, count) : among, isList ? null : matches.bits, { scores: first.ordinals, keys, maxHits });
    }

    const documents = listOf(matches, count);
    if (isSelected) {
        return selectFirst(documents, [first, ...keys.slice(1)], maxHits);
    }

    return sortAll(matches.kind === 'few' ? documents.slice() : documents, keys).subarray(0, maxHits);
}

/** Returns whether walking a cached order is likely to take fewer steps than there are matches. */
function isShortWalk({ ordinals, reverse, greatest }: SortKey, count: number, maxHits: number): boolean {

    const documents = ordinals.length;
    // In reverse, documents with equal keys are walked as a whole.
    return maxHits * documents / count + (reverse ? documents / (greatest ?? 1) : 0) < count;
}

function bitsOf(matches: DocumentSet, documents: number): Bits {

    if (matches.kind === 'many') {
        return matches.bits;
    }

    const bits = emptyBits(documents);
    setBits(bits, matches.documents, matches.documents.length);
    return bits;
}

/** Returns a function that compares two documents. */
function comparator(keys: readonly SortKey[]): (a: number, b: number) => number {

    return (a, b) => {

        for (const { ordinals, reverse } of keys) {
            const difference = (ordinals[a] as number) - (ordinals[b] as number);
            if (difference !== 0) {
                return reverse ? -difference : difference;
            }
        }

        return 0;
    };
}

/** Picks the matching documents from a cached order. In reverse, documents with equal keys keep their order. */
function walkOrder(
    matches: Bits, { ordinals, reverse, order }: { ordinals: SortKey['ordinals']; reverse: boolean; order: () => Uint32Array }, maxHits: number
): Uint32Array {

    const all = order();
    const found = new Uint32Array(maxHits);
    let count = 0;
    if (!reverse) {
        for (let i = 0; count < maxHits && i < all.length; ++i) {
            const document = all[i] as number;
            if (hasBit(matches, document)) {
                found[count++] = document;
            }
        }

        return found;
    }

    for (let end = all.length; count < maxHits && end > 0;) {
        const ordinal = ordinals[all[end - 1] as number];
        let start = end - 1;
        while (start > 0 && ordinals[all[start - 1] as number] === ordinal) {
            --start;
        }

        for (let i = start; count < maxHits && i < end; ++i) {
            const document = all[i] as number;
            if (hasBit(matches, document)) {
                found[count++] = document;
            }
        }

        end = start;
    }

    return found;
}

/** Selects with a heap of the best documents so far, the worst of them on top. */
function selectFirst(documents: Uint32Array, keys: readonly [SortKey, ...SortKey[]], maxHits: number): Uint32Array {

    const compare = comparator(keys);
    const [{ ordinals, reverse }] = keys;
    const heap = documents.slice(0, maxHits);
    makeHeap(heap, compare);
    let last = ordinals[heap[0] as number] as number;
    for (let i = maxHits; i < documents.length; ++i) {
        const document = documents[i] as number;
        const ordinal = ordinals[document] as number;
        // The first key rules out nearly all.
        if ((reverse ? ordinal >= last : ordinal <= last) && compare(document, heap[0] as number) < 0) {
            heap[0] = document;
            siftDown(heap, 0, compare);
            last = ordinals[heap[0]] as number;
        }
    }

    return heap.sort(compare);
}

/**
 * Like {@link selectFirst} for scores, best first: the score alone rules out most. `documents` may include ones that do not match;
 * more than `maxHits` match.
 */
function selectBest(
    documents: Uint32Array, matches: Bits | null, { scores, keys, maxHits }: { scores: Float32Array; keys: readonly SortKey[]; maxHits: number }
): Uint32Array {

    const compare = comparator(keys);
    const heap = new Uint32Array(maxHits);
    let next = 0;
    for (let filled = 0; filled < maxHits; ++next) {
        const document = documents[next] as number;
        if (!matches || hasBit(matches, document)) {
            heap[filled++] = document;
        }
    }

    makeHeap(heap, compare);
    let least = scores[heap[0] as number] as number;
    for (let i = next; i < documents.length; ++i) {
        const document = documents[i] as number;
        const score = scores[document] as number;
        if (score >= least && (!matches || hasBit(matches, document)) && (score > least || compare(document, heap[0] as number) < 0)) {
            heap[0] = document;
            siftDown(heap, 0, compare);
            least = scores[heap[0]] as number;
        }
    }

    return heap.sort(compare);
}

function makeHeap(heap: Uint32Array, compare: (a: number, b: number) => number): void {

    for (let i = (heap.length >> 1) - 1; i >= 0; --i) {
        siftDown(heap, i, compare);
    }
}

function siftDown(heap: Uint32Array, from: number, compare: (a: number, b: number) => number): void {

    const item = heap[from] as number;
    let hole = from;
    for (;;) {
        let child = hole * 2 + 1;
        if (child >= heap.length) {
            break;
        }

        if (child + 1 < heap.length && compare(heap[child + 1] as number, heap[child] as number) > 0) {
            ++child;
        }

        if (compare(heap[child] as number, item) <= 0) {
            break;
        }

        heap[hole] = heap[child] as number;
        hole = child;
    }

    heap[hole] = item;
}

/** Radix sort: stable, from the last key to the first, in linear time. */
export function sortAll(documents: Uint32Array, keys: readonly SortKey[]): Uint32Array {

    if (documents.length < SMALL_RESULT) {
        return documents.sort(comparator(keys));
    }

    let sorted = documents;
    for (const key of keys.toReversed()) {
        const { ordinals, greatest } = key;
        if (ordinals instanceof Float32Array || greatest === null) {
            sorted = sortByScores(sorted, ordinals, key.reverse);
        }
        else {
            sorted = countingSort(sorted, (document) => ordinals[document] as number, { greatest, reverse: key.reverse });
        }
    }

    return sorted;
}

/** Non-negative floats sort like their bits: two passes of 16 bits. */
function sortByScores(documents: Uint32Array, scores: ArrayLike<number>, reverse: boolean): Uint32Array {

    const float = new Float32Array(1);
    const bits = new Uint32Array(float.buffer);
    const bitsOf = (document: number): number => {

        float[0] = scores[document] as number;
        return bits[0] as number;
    };

    const low = countingSort(documents, (document) => bitsOf(document) & 0xffff, { greatest: 0xffff, reverse });
    return countingSort(low, (document) => bitsOf(document) >>> 16, { greatest: 0xffff, reverse });
}

/** @param rankOf returns the rank of a document, from 0 to `greatest` */
function countingSort(documents: Uint32Array, rankOf: (document: number) => number, { greatest, reverse }: { greatest: number; reverse: boolean }): Uint32Array {

    // Loops, because `map` with a function takes three times as long.
    const groups = new Uint32Array(documents.length);
    for (let i = 0; i < groups.length; ++i) {
        const rank = rankOf(documents[i] as number);
        groups[i] = reverse ? greatest - rank : rank;
    }

    const { members } = groupBy(groups, greatest + 1);
    for (let i = 0; i < members.length; ++i) {
        members[i] = documents[members[i] as number] as number;
    }

    return members;
}
