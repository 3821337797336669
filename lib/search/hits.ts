/**
 * The hits of a search in order, taken from the ordered documents of its segments one by one.
 */

import { compareValues } from './segment-writer.js';
import type { ColumnValue } from './segment-writer.js';
import type { SearchHit } from './search-request.js';

/** One thing by which documents of different segments are compared. */
export interface RankKey {
    readonly reverse: boolean;
    /** Null for none, which comes before everything else. */
    valueOf(document: number): ColumnValue | null;
}

/** The documents of one segment, in order. */
export interface RankedSegment {
    readonly documents: Uint32Array;
    readonly keys: readonly RankKey[];
    /** By document; null when nobody wants to see them. */
    readonly scores: Float32Array | null;
    idOf(document: number): string;
}

/** Where one segment stands. */
interface Head {
    readonly part: RankedSegment;
    next: number;
    values: (ColumnValue | null)[];
}

export class HitStream {

    readonly #heads: Head[];
    #skip: number;
    #left: number;

    constructor(parts: readonly RankedSegment[], start: number, limit: number | null) {

        this.#heads = parts.filter(({ documents }) => documents.length > 0).map((part) => ({ part, next: 0, values: valuesAt(part, 0) }));
        this.#skip = start;
        this.#left = limit ?? Infinity;
    }

    /** Up to `count` further hits; fewer only at the end. */
    take(count: number): SearchHit[] {

        for (; this.#skip > 0 && this.#pop(); --this.#skip) {
            // Results before the first wanted one are passed over.
        }

        const hits: SearchHit[] = [];
        while (hits.length < count && this.#left > 0) {
            const found = this.#pop();
            if (!found) {
                this.#left = 0;
                break;
            }

            --this.#left;
            const { part, document } = found;
            hits.push({ id: part.idOf(document), score: part.scores ? part.scores[document] ?? 0 : null });
        }

        return hits;
    }

    /** True when all wanted hits have been taken. */
    get isDone(): boolean {

        return this.#left <= 0 || this.#heads.length === 0;
    }

    #pop(): { part: RankedSegment; document: number } | null {

        let [best] = this.#heads;
        if (!best) {
            return null;
        }

        for (const head of this.#heads) {
            if (head !== best && compareHeads(head, best) < 0) {
                best = head;
            }
        }

        const document = best.part.documents[best.next++] as number;
        if (best.next < best.part.documents.length) {
            // A single segment needs no comparing.
            best.values = this.#heads.length > 1 ? valuesAt(best.part, best.next) : [];
        }
        else {
            this.#heads.splice(this.#heads.indexOf(best), 1);
        }

        return { part: best.part, document };
    }
}

function valuesAt({ keys, documents }: RankedSegment, index: number): (ColumnValue | null)[] {

    return keys.map((key) => key.valueOf(documents[index] ?? 0));
}

function compareHeads(a: Head, b: Head): number {

    for (let i = 0; i < a.values.length; ++i) {
        const difference = compareOptional(a.values[i] ?? null, b.values[i] ?? null);
        if (difference !== 0) {
            return a.part.keys[i]?.reverse ? -difference : difference;
        }
    }

    return 0;
}

function compareOptional(a: ColumnValue | null, b: ColumnValue | null): number {

    if (a === null || b === null) {
        return Number(a !== null) - Number(b !== null);
    }

    return compareValues(a, b);
}
