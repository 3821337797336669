/**
 * The hits of a search in order, taken from the ordered documents of its segments one by one.
 */

import type { ColumnValue } from '../segment/segment-writer.js';
import type { SearchHit } from '../query/search-request.js';

/** One thing by which documents of different segments are compared. */
export interface RankKey {
    readonly reverse: boolean;
    /** A number that stands for the value of the document at a place of the order, within one segment; 0 for none. */
    rankAt(place: number): number;
    /** What stands for a rank other than 0. */
    valueOf(rank: number): ColumnValue;
}

/** The documents of one segment, in order. */
export interface RankedSegment {
    readonly documents: Uint32Array;
    readonly keys: readonly RankKey[];
    /** By place in the order, or the same for all; null when nobody wants to see them. */
    readonly scores: Float32Array | number | null;
    idOf(document: number): string;
}

/** A value as it is compared. */
interface Comparable {
    rank: number;
    value: ColumnValue | null;
    /** Of texts. */
    folded: string;
}

/** Where one segment stands. */
class Head {

    readonly part: RankedSegment;
    next = 0;
    readonly #values: Comparable[];

    constructor(part: RankedSegment) {

        this.part = part;
        this.#values = part.keys.map(() => ({ rank: 0, value: null, folded: '' }));
    }

    /** Documents from here to the end. */
    get left(): number {

        return this.part.documents.length - this.next;
    }

    /** Is the document so many places further on before one of another segment? */
    isBefore(other: Head, ahead = 0, otherAhead = 0): boolean {

        for (let i = 0; i < this.#values.length; ++i) {
            const difference = compare(this.#value(i, this.next + ahead), other.#value(i, other.next + otherAhead));
            if (difference !== 0) {
                return this.part.keys[i]?.reverse ? difference > 0 : difference < 0;
            }
        }

        return false;
    }

    /** Values are looked up when they are compared, and once while the rank stays the same. */
    #value(index: number, place: number): Comparable {

        const known = this.#values[index] as Comparable;
        const key = this.part.keys[index] as RankKey;
        const rank = key.rankAt(place);
        if (rank !== known.rank) {
            known.rank = rank;
            known.value = rank === 0 ? null : key.valueOf(rank);
            known.folded = typeof known.value === 'string' ? known.value.toLowerCase() : '';
        }

        return known;
    }
}

/** Merges the segments as hits are taken: what nobody takes is never put in order. */
export class HitMerger {

    /** A heap: each is before those at twice its place plus one and plus two. Those that have been taken to their end are not in it. */
    #heads: Head[] = [];
    /** True when the heads are a heap, and nothing has to be passed over any more. */
    #isOrdered = false;
    /** Hits before the first wanted one that are to be passed over. */
    #skip: number;
    /** Wanted hits that have not been taken. */
    #left: number;

    /**
     * @param start number of hits before the first wanted one
     * @param limit most hits that are wanted; null for all
     */
    constructor(parts: readonly RankedSegment[], start: number, limit: number | null) {

        for (const part of parts.filter(({ documents }) => documents.length > 0)) {
            this.#heads.push(new Head(part));
        }

        this.#skip = start;
        this.#left = limit ?? Infinity;
    }

    /** Up to `count` further hits; fewer only at the end. */
    take(count: number): SearchHit[] {

        this.#passOver();

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

    /** True when all wanted hits have been taken. */
    get isDone(): boolean {

        return this.#left <= 0 || this.#heads.length === 0;
    }

    /**
     * Passes over what comes before the first wanted hit, a share of it at a time: of the documents that are one share ahead in each
     * segment the first one, and all before it in its segment, can only be among them.
     */
    #passOver(): void {

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

            const passed = Math.min(share, first.left);
            first.next += passed;
            this.#skip -= passed;
            this.#heads = this.#heads.filter(({ left }) => left > 0);
        }

        for (let place = (this.#heads.length >> 1) - 1; place >= 0; --place) {
            this.#sink(place);
        }

        this.#isOrdered = true;
    }

    /** Passes over the first document. */
    #advance(): void {

        const [head] = this.#heads;
        if (head && ++head.next >= head.part.documents.length) {
            const last = this.#heads.pop();
            if (last && this.#heads.length > 0) {
                this.#heads[0] = last;
            }
        }

        this.#sink(0);
    }

    /** Moves a head down to where those below it are not before it. */
    #sink(from: number): void {

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

/** None comes first, then numbers, then texts without regard to case. */
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
