/**
 * Putting the matching documents of one segment in order. A key is one number per document; texts are compared by their place
 * among the sorted values of their column.
 */

import { emptyBits, hasBit, setBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import type { DocOrdinals } from '../segment/doc-values.js';
import { listOf } from '../docset/doc-id-set.js';
import type { CountedSet, DocumentSet } from '../docset/doc-id-set.js';

/** One thing to sort by. */
export interface SortKey {
    /** By document: 0 for none, or a place in sort order, or a score. */
    readonly ranks: DocOrdinals | Float32Array;
    readonly reverse: boolean;
    /** Greatest possible rank; null for scores. */
    readonly greatest: number | null;
    /** All documents sorted by this key (not reversed) and then as without keys, for keys that are kept in that way. */
    readonly order?: (() => Uint32Array) | undefined;
}

/** Up to so many wanted documents are selected from many with a heap. */
const HEAP_LIMIT = 4096;

/** Orders that are kept are walked when at least one document in so many matches. */
const DENSE_SHARE = 64;

/** Fewer documents than this are sorted by comparing. */
const SMALL_RESULT = 256;

/**
 * The first `limit` of the matching documents in order. Keys must end with one that tells all documents apart.
 *
 * @param keys what they are sorted by
 * @param options `among` is a list that has all matching documents, each once, maybe with others
 */
export function orderDocuments(
    { matches, count }: CountedSet, keys: readonly SortKey[], { limit, among }: { limit: number; among: Uint32Array | null }
): Uint32Array {

    const wanted = Math.min(count, limit);
    const [first] = keys;
    if (wanted === 0 || !first) {
        return new Uint32Array(0);
    }

    if (first.order && (matches.kind === 'many' && count * DENSE_SHARE >= matches.bits.length * 32 || isShortWalk(first, count, wanted))) {
        return walkOrder(bitsOf(matches, first.ranks.length), { ...first, order: first.order }, wanted);
    }

    const isSelected = wanted <= HEAP_LIMIT && wanted * 4 < count;
    if (isSelected && first.ranks instanceof Float32Array && first.reverse) {
        const isList = matches.kind === 'few' || !among;
        return selectBest(isList ? listOf(matches, count) : among, isList ? null : matches.bits, { scores: first.ranks, keys, wanted });
    }

    const documents = listOf(matches, count);
    if (isSelected) {
        return selectFirst(documents, [first, ...keys.slice(1)], wanted);
    }

    return sortAll(matches.kind === 'few' ? documents.slice() : documents, keys).subarray(0, wanted);
}

/** Is so much of a kept order likely to be walked that it takes less than a look at every match? */
function isShortWalk({ ranks, reverse, greatest }: SortKey, count: number, wanted: number): boolean {

    const documents = ranks.length;
    // Documents that are equal are walked as a whole when the order is reversed.
    return wanted * documents / count + (reverse ? documents / (greatest ?? 1) : 0) < count;
}

function bitsOf(matches: DocumentSet, documents: number): Bits {

    if (matches.kind === 'many') {
        return matches.bits;
    }

    const bits = emptyBits(documents);
    setBits(bits, matches.documents, matches.documents.length);
    return bits;
}

/** A comparison of two documents. */
function comparator(keys: readonly SortKey[]): (a: number, b: number) => number {

    return (a, b) => {

        for (const { ranks, reverse } of keys) {
            const difference = (ranks[a] as number) - (ranks[b] as number);
            if (difference !== 0) {
                return reverse ? -difference : difference;
            }
        }

        return 0;
    };
}

/** Takes matching documents out of an order of all. Documents that are equal by the key keep their order when it is reversed. */
function walkOrder(
    matches: Bits, { ranks, reverse, order }: { ranks: SortKey['ranks']; reverse: boolean; order: () => Uint32Array }, wanted: number
): Uint32Array {

    const all = order();
    const found = new Uint32Array(wanted);
    let count = 0;
    if (!reverse) {
        for (let i = 0; count < wanted && i < all.length; ++i) {
            const document = all[i] as number;
            if (hasBit(matches, document)) {
                found[count++] = document;
            }
        }

        return found;
    }

    for (let end = all.length; count < wanted && end > 0;) {
        const rank = ranks[all[end - 1] as number];
        let start = end - 1;
        while (start > 0 && ranks[all[start - 1] as number] === rank) {
            --start;
        }

        for (let i = start; count < wanted && i < end; ++i) {
            const document = all[i] as number;
            if (hasBit(matches, document)) {
                found[count++] = document;
            }
        }

        end = start;
    }

    return found;
}

/** Keeps the best seen so far in a heap with the worst of them on top. */
function selectFirst(documents: Uint32Array, keys: readonly [SortKey, ...SortKey[]], wanted: number): Uint32Array {

    const compare = comparator(keys);
    const [{ ranks, reverse }] = keys;
    const heap = documents.slice(0, wanted);
    makeHeap(heap, compare);
    let last = ranks[heap[0] as number] as number;
    for (let i = wanted; i < documents.length; ++i) {
        const document = documents[i] as number;
        const rank = ranks[document] as number;
        // Nearly all come after the last one by their first key.
        if ((reverse ? rank >= last : rank <= last) && compare(document, heap[0] as number) < 0) {
            heap[0] = document;
            sink(heap, 0, compare);
            last = ranks[heap[0]] as number;
        }
    }

    return heap.sort(compare);
}

/** The same by scores, best first, of those that match: most need no more than a look at their score. More than wanted match. */
function selectBest(
    documents: Uint32Array, matches: Bits | null, { scores, keys, wanted }: { scores: Float32Array; keys: readonly SortKey[]; wanted: number }
): Uint32Array {

    const compare = comparator(keys);
    const heap = new Uint32Array(wanted);
    let next = 0;
    for (let filled = 0; filled < wanted; ++next) {
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
            sink(heap, 0, compare);
            least = scores[heap[0]] as number;
        }
    }

    return heap.sort(compare);
}

function makeHeap(heap: Uint32Array, compare: (a: number, b: number) => number): void {

    for (let i = (heap.length >> 1) - 1; i >= 0; --i) {
        sink(heap, i, compare);
    }
}

function sink(heap: Uint32Array, from: number, compare: (a: number, b: number) => number): void {

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

/** Sorts by the last key first, each time keeping the order of equals, in time linear in the number of documents. */
export function sortAll(documents: Uint32Array, keys: readonly SortKey[]): Uint32Array {

    if (documents.length < SMALL_RESULT) {
        return documents.sort(comparator(keys));
    }

    let sorted = documents;
    for (const key of keys.toReversed()) {
        const { ranks, greatest } = key;
        if (ranks instanceof Float32Array || greatest === null) {
            sorted = sortByScores(sorted, ranks, key.reverse);
        }
        else {
            sorted = countingSort(sorted, (document) => ranks[document] as number, { greatest, reverse: key.reverse });
        }
    }

    return sorted;
}

/** The bits of floats that are not negative sort like the floats; two passes of 16 bits. */
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

function countingSort(
    documents: Uint32Array, rankOf: (document: number) => number, { greatest, reverse }: { greatest: number; reverse: boolean }
): Uint32Array {

    // Room for the number of documents before each rank.
    const starts = new Uint32Array(greatest + 2);
    const slotOf = (document: number): number => (reverse ? greatest - rankOf(document) : rankOf(document));
    for (const document of documents) {
        const slot = slotOf(document) + 1;
        starts[slot] = (starts[slot] as number) + 1;
    }

    for (let slot = 1; slot < starts.length; ++slot) {
        starts[slot] = (starts[slot] as number) + (starts[slot - 1] as number);
    }

    const sorted = new Uint32Array(documents.length);
    for (const document of documents) {
        const slot = slotOf(document);
        const place = starts[slot] as number;
        starts[slot] = place + 1;
        sorted[place] = document;
    }

    return sorted;
}
