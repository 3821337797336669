/**
 * Counting the values of a field among the matching documents.
 */

import { compareText } from './analysis.js';
import { hasBit } from './bits.js';
import type { Bits } from './bits.js';
import type { Column, Ranks } from './column.js';
import type { DocumentSet, ManyDocuments } from './document-set.js';
import { resolveColumn, VALUE_PREFIX } from './field-names.js';
import type { FacetField, FacetResult } from './search-request.js';
import type { Segment } from './segment.js';
import { firstPlace } from './sorted-documents.js';

/** Counts one field over all segments. */
export class FacetCounter {

    readonly #field: FacetField;
    readonly #column: string;
    readonly #counts = new Map<string, number>();

    constructor(field: FacetField) {

        this.#field = field;
        this.#column = resolveColumn(field.field);
    }

    /** Counts the matching documents of a segment; each distinct value of a document once. */
    addSegment(segment: Segment, matches: DocumentSet): void {

        const column = segment.column(this.#column);
        if (!column) {
            return;
        }

        const add = (count: number, ordinal: number): void => {

            if (count !== 0) {
                const value = String(column.value(ordinal));
                this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
            }
        };

        if (matches.kind === 'few') {
            countFew(column, matches.documents).forEach(add);
        }
        else {
            countMany(column, matches).forEach(add);
        }
    }

    result(): FacetResult {

        const { field, maxBuckets } = this.#field;
        const buckets = [...this.#counts].sort(([a, countA], [b, countB]) => countB - countA || compareText(a, b));
        return {
            field,
            buckets: buckets.slice(0, maxBuckets).map(([value, count]) => ({ value, count, filterQuery: filterQuery(field, value) }))
        };
    }
}

/** By ordinal. */
function countMany(column: Column, matches: ManyDocuments): Uint32Array {

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
            seen.add(dense ? (dense[document] as number) - 1 : -1);
        }

        if (!seen.has(ordinal) && hasBit(matches.bits, document)) {
            seen.add(ordinal);
            counts[ordinal] = (counts[ordinal] as number) + 1;
        }
    }

    return counts;
}

function countDense(dense: Ranks, bits: Bits, counts: Uint32Array): void {

    for (let i = 0; i < bits.length; ++i) {
        let word = bits[i] as number;
        while (word !== 0) {
            const rank = dense[i * 32 + 31 - Math.clz32(word & -word)] as number;
            word &= word - 1;
            if (rank !== 0) {
                counts[rank - 1] = (counts[rank - 1] as number) + 1;
            }
        }
    }
}

/** The same; ordinals that no document has are left out. */
function countFew({ dense, pairDocuments, pairOrdinals }: Column, documents: Uint32Array): Map<number, number> {

    const counts = new Map<number, number>();
    const add = (ordinal: number): void => void counts.set(ordinal, (counts.get(ordinal) ?? 0) + 1);
    for (const document of documents) {
        const first = dense ? (dense[document] as number) - 1 : -1;
        let place = pairDocuments.length === 0 ? 0 : firstPlace(pairDocuments, document);
        if (pairDocuments[place] !== document) {
            if (first !== -1) {
                add(first);
            }

            continue;
        }

        const ordinals = new Set(first === -1 ? [] : [first]);
        for (; pairDocuments[place] === document; ++place) {
            ordinals.add(pairOrdinals[place] as number);
        }

        ordinals.forEach(add);
    }

    return counts;
}

/** A query for exactly this value of a field. */
function filterQuery(field: string, value: string): string {

    return `${VALUE_PREFIX}${field.replaceAll(/[\\+\-!():^[\]"{}~*?|&\s]/gu, '\\$&')}:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
