/**
 * Counting the values of a field among the matching documents.
 */

import { compareText } from './analysis.js';
import { hasBit } from './bits.js';
import type { Bits } from './bits.js';
import { resolveColumn, VALUE_PREFIX } from './field-names.js';
import type { FacetField, FacetResult } from './search-request.js';
import type { Segment } from './segment.js';

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
    addSegment(segment: Segment, matches: Bits): void {

        const column = segment.column(this.#column);
        if (!column) {
            return;
        }

        const { dense, pairDocuments, pairOrdinals } = column;
        const counts = new Uint32Array(column.count);
        for (let i = 0; dense && i < matches.length; ++i) {
            let word = matches[i] as number;
            while (word !== 0) {
                const rank = dense[i * 32 + 31 - Math.clz32(word & -word)] as number;
                word &= word - 1;
                if (rank !== 0) {
                    counts[rank - 1] = (counts[rank - 1] as number) + 1;
                }
            }
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

            if (!seen.has(ordinal) && hasBit(matches, document)) {
                seen.add(ordinal);
                counts[ordinal] = (counts[ordinal] as number) + 1;
            }
        }

        counts.forEach((count, ordinal) => {

            if (count !== 0) {
                const value = String(column.value(ordinal));
                this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
            }
        });
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

/** A query for exactly this value of a field. */
function filterQuery(field: string, value: string): string {

    return `${VALUE_PREFIX}${field.replaceAll(/[\\+\-!():^[\]"{}~*?|&\s]/gu, '\\$&')}:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
