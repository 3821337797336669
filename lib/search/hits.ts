/**
 * The hits of a search in order, taken from the ordered documents of its segments one by one.
 */

import type { ColumnValue } from './segment-writer.js';
import type { SearchHit } from './search-request.js';

/** One thing by which documents of different segments are compared. */
export interface RankKey {
    readonly reverse: boolean;
    /** A number that is the same where the value is, for the document at a place of the order; 0 for none. */
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

    isBefore(other: Head): boolean {

        for (let i = 0; i < this.#values.length; ++i) {
            const difference = compare(this.#value(i), other.#value(i));
            if (difference !== 0) {
                return this.part.keys[i]?.reverse ? difference > 0 : difference < 0;
            }
        }

        return false;
    }

    /** Values are looked up when they are compared, and once while the rank stays the same. */
    #value(index: number): Comparable {

        const known = this.#values[index] as Comparable;
        const key = this.part.keys[index] as RankKey;
        const rank = key.rankAt(this.next);
        if (rank !== known.rank) {
            known.rank = rank;
            known.value = rank === 0 ? null : key.valueOf(rank);
            known.folded = typeof known.value === 'string' ? known.value.toLowerCase() : '';
        }

        return known;
    }
}

export class HitStream {

    /** A heap: each is before those at twice its place. */
    readonly #heads: Head[] = [];
    #skip: number;
    #left: number;

    constructor(parts: readonly RankedSegment[], start: number, limit: number | null) {

        for (const part of parts.filter(({ documents }) => documents.length > 0)) {
            this.#heads.push(new Head(part));
        }

        for (let place = (this.#heads.length >> 1) - 1; place >= 0; --place) {
            this.#sink(place);
        }

        this.#skip = start;
        this.#left = limit ?? Infinity;
    }

    /** Up to `count` further hits; fewer only at the end. */
    take(count: number): SearchHit[] {

        for (; this.#skip > 0 && this.#heads.length > 0; --this.#skip) {
            this.#advance();
        }

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
