/**
 * Counts the values of a field in the matching documents.
 */

import { compareText } from '../analysis/analyzer.js';
import { hasBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import type { DocValues, DocOrdinals } from '../segment/doc-values.js';
import type { Deadline } from '../query/query-deadline.js';
import type { DocumentSet, DenseSet } from '../docset/doc-id-set.js';
import { resolveColumn, VALUE_PREFIX } from '../analysis/field-names.js';
import type { FacetBucket, FacetField, FacetResult } from '../query/search-request.js';
import type { Segment } from '../segment/segment-reader.js';
import { firstIndex } from '../docset/sorted-doc-ids.js';

/** Maximum number of buckets, and of their characters, in all facets of a response. */
export const MAX_BUCKETS = 10_000;
const MAX_BUCKET_CHARACTERS = 1024 * 1024;

/** Interval, in values, at which the deadline is checked. */
const VALUES_PER_CHECK = 4096;

/** What is left of these limits for further facets. */
export class BucketBudget {

    #buckets = MAX_BUCKETS;
    #characters = MAX_BUCKET_CHARACTERS;

    /** Number of buckets that are left. */
    get buckets(): number {

        return this.#buckets;
    }

    /** Takes a bucket from the budget; returns false when it exceeds the budget. */
    take({ value, filterQuery }: FacetBucket): boolean {

        --this.#buckets;
        this.#characters -= value.length + filterQuery.length;
        return this.#buckets >= 0 && this.#characters >= 0;
    }
}

/** Counts one field over all segments. */
export class FacetCounter {

    readonly #field: FacetField;
    readonly #column: string;
    readonly #deadline: Deadline | null;
    readonly #counts = new Map<string, number>();

    /**
     * @param deadline of the search; checked while counting, as a field may have a value for each document
     */
    constructor(field: FacetField, deadline: Deadline | null = null) {

        this.#field = field;
        this.#column = resolveColumn(field.field);
        this.#deadline = deadline;
    }

    /** Counts the matching documents of a segment; a document counts once for each of its distinct values. */
    addSegment(segment: Segment, matches: DocumentSet): void {

        const column = segment.column(this.#column);
        if (!column) {
            return;
        }

        let values = 0;
        const add = (count: number, ordinal: number): void => {

            if (count !== 0) {
                if (++values % VALUES_PER_CHECK === 0) {
                    this.#deadline?.check();
                }

                const value = String(column.value(ordinal));
                this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
            }
        };

        const equalOrdinals = equalOrdinalsOf(segment, this.#column, column);
        if (matches.kind === 'few') {
            countSparseSet(column, matches.documents, equalOrdinals).forEach(add);
        }
        else {
            countDenseSet(column, matches, equalOrdinals).forEach(add);
        }
    }

    /** Returns the largest buckets, as many as requested and within the budget. */
    result(budget: BucketBudget): FacetResult {

        const { field, maxBuckets } = this.#field;
        const buckets: FacetBucket[] = [];
        for (const [value, count] of greatest(this.#counts, Math.min(maxBuckets, budget.buckets))) {
            const bucket = { value, count, filterQuery: filterQuery(field, value) };
            if (!budget.take(bucket)) {
                break;
            }

            buckets.push(bucket);
        }

        return { field, buckets };
    }
}

/** A value and its count. */
type Counted = readonly [value: string, count: number];

/** Returns the largest counts in order, ties by value. Holds at most about twice the wanted number. */
function greatest(counts: ReadonlyMap<string, number>, limit: number): Counted[] {

    let best: Counted[] = [];
    let least = 0;
    for (const entry of limit > 0 ? counts : []) {
        if (entry[1] < least) {
            continue;
        }

        best.push(entry);
        if (best.length >= limit * 2 + SLACK) {
            best = best.sort(byCount).slice(0, limit);
            least = best.at(-1)?.[1] ?? 0;
        }
    }

    return best.sort(byCount).slice(0, limit);
}

/** Additional candidates before sorting, so that small numbers are not sorted too often. */
const SLACK = 100;

function byCount([a, countA]: Counted, [b, countB]: Counted): number {

    return countB - countA || compareText(a, b);
}

/**
 * For each number the ordinal of the text that reads the same, which is the same value; {@link NO_ORDINAL} for none. Null for a column
 * without both numbers and texts.
 */
type EqualOrdinals = Uint32Array | null;

const NO_ORDINAL = 0xffff_ffff;

function equalOrdinalsOf(segment: Segment, name: string, column: DocValues): EqualOrdinals {

    const { numbers, count } = column;
    return numbers.length === 0 || numbers.length === count ? null : segment.cache.get(`twins ${name}`, () => {

        const texts = new Map<string, number>();
        for (let ordinal = numbers.length; ordinal < count; ++ordinal) {
            const text = String(column.value(ordinal));
            if (String(Number(text)) === text) {
                texts.set(text, ordinal);
            }
        }

        const value = Uint32Array.from(numbers, (number) => texts.get(String(number)) ?? NO_ORDINAL);
        return { value, bytes: value.byteLength };
    });
}

/** Returns the ordinal that represents a value among those of a document. */
function canonicalOrdinal(equalOrdinals: EqualOrdinals, ordinal: number): number {

    const equal = equalOrdinals?.[ordinal] ?? NO_ORDINAL;
    return equal === NO_ORDINAL ? ordinal : equal;
}

/** Returns counts by ordinal. */
function countDenseSet(column: DocValues, matches: DenseSet, equalOrdinals: EqualOrdinals): Uint32Array {

    const { dense, pairDocuments, pairOrdinals } = column;
    const counts = new Uint32Array(column.count);
    if (dense) {
        countDense(dense, matches.bits, counts);
    }

    let lastDocument = -1;
    const seen = new Set<number>();
    for (let i = 0; i < pairDocuments.length; ++i) {
        const [document, ordinal] = [pairDocuments[i] as number, pairOrdinals[i] as number];
        if (document !== lastDocument) {
            lastDocument = document;
            seen.clear();
            seen.add(dense ? canonicalOrdinal(equalOrdinals, (dense[document] as number) - 1) : -1);
        }

        const canonical = canonicalOrdinal(equalOrdinals, ordinal);
        if (!seen.has(canonical) && hasBit(matches.bits, document)) {
            seen.add(canonical);
            counts[ordinal] = (counts[ordinal] as number) + 1;
        }
    }

    return counts;
}

function countDense(dense: DocOrdinals, bits: Bits, counts: Uint32Array): void {

    for (let i = 0; i < bits.length; ++i) {
        let word = bits[i] as number;
        while (word !== 0) {
            const docOrdinal = dense[i * 32 + 31 - Math.clz32(word & -word)] as number;
            word &= word - 1;
            if (docOrdinal !== 0) {
                counts[docOrdinal - 1] = (counts[docOrdinal - 1] as number) + 1;
            }
        }
    }
}

/** Like {@link countDenseSet}, without ordinals that no document has. */
function countSparseSet({ dense, pairDocuments, pairOrdinals }: DocValues, documents: Uint32Array, equalOrdinals: EqualOrdinals): Map<number, number> {

    const counts = new Map<number, number>();
    const add = (ordinal: number): void => void counts.set(ordinal, (counts.get(ordinal) ?? 0) + 1);
    for (const document of documents) {
        const first = dense ? (dense[document] as number) - 1 : -1;
        let pair = pairDocuments.length === 0 ? 0 : firstIndex(pairDocuments, document);
        if (pairDocuments[pair] !== document) {
            if (first !== -1) {
                add(first);
            }

            continue;
        }

        const ordinals = new Set(first === -1 ? [] : [canonicalOrdinal(equalOrdinals, first)]);
        for (; pairDocuments[pair] === document; ++pair) {
            ordinals.add(canonicalOrdinal(equalOrdinals, pairOrdinals[pair] as number));
        }

        ordinals.forEach(add);
    }

    return counts;
}

/** Returns a query for exactly this value of a field. */
export function filterQuery(field: string, value: string): string {

    // A slash behind a backslash would start a regular expression.
    return `${VALUE_PREFIX}${field.replaceAll(/[\\+\-!():^[\]"{}~*?|&\s]|(?<=\\)\//gu, '\\$&')}:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
