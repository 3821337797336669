/**
 * K-way merge of the sorted documents of segments into the hits of a search.
 */

import type { ColumnValue } from '../segment/segment-writer.js';
import type { SearchHit } from '../query/search-request.js';

/** A sort key that compares documents of different segments. */
export interface RankKey {
    readonly reverse: boolean;
    /** Returns a number for the value of the document at an index of the order, valid within the segment; 0 for none. */
    rankAt(index: number): number;
    /** Returns the value of a rank other than 0. */
    valueOf(rank: number): ColumnValue;
}

/** Sorted documents of one segment. */
export interface RankedSegment {
    readonly documents: Uint32Array;
    readonly keys: readonly RankKey[];
    /** By index in the order, or one for all; null when they are not returned. */
    readonly scores: Float32Array | number | null;
    idOf(document: number): string;
}

/** A value prepared for comparison. */
interface Comparable {
    rank: number;
    value: ColumnValue | null;
    /** Lower case, of texts. */
    folded: string;
}

/** Cursor over the documents of one segment. */
class Head {

    readonly part: RankedSegment;
    next = 0;
    readonly #values: Comparable[];

    constructor(part: RankedSegment) {

        this.part = part;
        this.#values = part.keys.map(() => ({ rank: 0, value: null, folded: '' }));
    }

    /** Number of remaining documents. */
    get left(): number {

        return this.part.documents.length - this.next;
    }

    /** Returns whether the document `offset` of the cursor sorts before one of another segment. */
    isBefore(other: Head, offset = 0, otherOffset = 0): boolean {

        for (let i = 0; i < this.#values.length; ++i) {
            const difference = compare(this.#value(i, this.next + offset), other.#value(i, other.next + otherOffset));
            if (difference !== 0) {
                return this.part.keys[i]?.reverse ? difference > 0 : difference < 0;
            }
        }

        return false;
    }

    /** Looks a value up when it is compared, and only once while the rank is the same. */
    #value(keyIndex: number, index: number): Comparable {

        const cached = this.#values[keyIndex] as Comparable;
        const key = this.part.keys[keyIndex] as RankKey;
        const rank = key.rankAt(index);
        if (rank !== cached.rank) {
            cached.rank = rank;
            cached.value = rank === 0 ? null : key.valueOf(rank);
            cached.folded = typeof cached.value === 'string' ? cached.value.toLowerCase() : '';
        }

        return cached;
    }
}

/** Merges lazily: hits that are not taken are never sorted. */
export class HitMerger {

    /** Binary heap of the segments that are not exhausted. */
    #heads: Head[] = [];
    /** True when the heads are a heap and the offset was skipped. */
    #isOrdered = false;
    /** Number of hits still to be skipped before the first wanted one. */
    #skip: number;
    /** Number of wanted hits that were not taken yet. */
    #left: number;

    /**
     * @param start number of hits before the first wanted one
     * @param limit maximum number of hits; null for all
     */
    constructor(parts: readonly RankedSegment[], start: number, limit: number | null) {

        for (const part of parts.filter(({ documents }) => documents.length > 0)) {
            this.#heads.push(new Head(part));
        }

        this.#skip = start;
        this.#left = limit ?? Infinity;
    }

    /** Returns up to `count` further hits; fewer only at the end. */
    take(count: number): SearchHit[] {

        this.#skipStart();

        const hits: SearchHit[] = [];
        while (hits.length < count && this.#left > 0) {
            const [head] = this.#heads;
            if (!head) {
                this.#left = 0;
                break;
            }

            --this.#left;
            const { documents, scores } = head.part;
            const id = head.part.idOf(documents[head.next] as number);
            hits.push({ id, score: typeof scores === 'object' && scores ? scores[head.next] ?? 0 : scores });
            this.#advance();
        }

        return hits;
    }

    /** True when all wanted hits were taken. */
    get isDone(): boolean {

        return this.#left <= 0 || this.#heads.length === 0;
    }

    /**
     * Skips the hits before the first wanted one, a share at a time. Of the documents that are one share ahead in each segment,
     * take the least: it and all before it in its segment must be among the skipped ones.
     */
    #skipStart(): void {

        if (this.#isOrdered) {
            return;
        }

        while (this.#skip > 0 && this.#heads.length > 0) {
            const share = Math.max(Math.floor(this.#skip / this.#heads.length), 1);
            let [first] = this.#heads as [Head];
            for (const head of this.#heads) {
                if (head !== first && head.isBefore(first, Math.min(share, head.left) - 1, Math.min(share, first.left) - 1)) {
                    first = head;
                }
            }

            const skipped = Math.min(share, first.left);
            first.next += skipped;
            this.#skip -= skipped;
            this.#heads = this.#heads.filter(({ left }) => left > 0);
        }

        for (let index = (this.#heads.length >> 1) - 1; index >= 0; --index) {
            this.#siftDown(index);
        }

        this.#isOrdered = true;
    }

    /** Skips the first document. */
    #advance(): void {

        const [head] = this.#heads;
        if (head && ++head.next >= head.part.documents.length) {
            const last = this.#heads.pop();
            if (last && this.#heads.length > 0) {
                this.#heads[0] = last;
            }
        }

        this.#siftDown(0);
    }

    /** Restores the heap below an index. */
    #siftDown(from: number): void {

        const heads = this.#heads;
        const item = heads[from];
        let hole = from;
        for (let child = hole * 2 + 1; item && child < heads.length; child = hole * 2 + 1) {
            if (child + 1 < heads.length && (heads[child + 1] as Head).isBefore(heads[child] as Head)) {
                ++child;
            }

            if (!(heads[child] as Head).isBefore(item)) {
                break;
            }

            heads[hole] = heads[child] as Head;
            hole = child;
        }

        if (item) {
            heads[hole] = item;
        }
    }
}

/** Compares values: none first, then numbers, then texts without case. */
function compare(a: Comparable, b: Comparable): number {

    const [left, right] = [a.value, b.value];
    if (left === null || right === null) {
        return Number(left !== null) - Number(right !== null);
    }

    if (typeof left === 'number' || typeof right === 'number') {
        return typeof left === typeof right ? Number(left) - Number(right) : typeof left === 'number' ? -1 : 1;
    }

    if (a.folded !== b.folded) {
        return a.folded < b.folded ? -1 : 1;
    }

    return left < right ? -1 : Number(left > right);
}
