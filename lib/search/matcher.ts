/**
 * Which documents of one segment match a query, by sets of bits.
 */

import { andBits, andNotBits, emptyBits, orBits } from './bits.js';
import type { Bits } from './bits.js';
import { Leaves } from './leaves.js';
import type { Leaf } from './leaves.js';
import type { BooleanQuery, Query } from './query.js';
import type { SegmentScope } from './segment-scope.js';

/** Told of the documents of each leaf, as they are found. */
export type LeafObserver = (leaf: Leaf, documents: Bits) => void;

/** The documents of a segment that match, gone and hidden ones included. The observer hears of leaves that can add to a score. */
export function matchSegment(query: Query, scope: SegmentScope, observe: LeafObserver | null = null): Bits {

    return new Matcher(scope).match(query, observe);
}

class Matcher {

    readonly #leaves: Leaves;
    readonly #documents: number;
    readonly #scope: SegmentScope;

    constructor(scope: SegmentScope) {

        this.#scope = scope;
        this.#leaves = new Leaves(scope);
        this.#documents = scope.segment.documents;
    }

    match(query: Query, observe: LeafObserver | null): Bits {

        this.#scope.deadline.check();
        if (query.kind === 'boolean') {
            return this.#boolean(query, observe);
        }

        const documents = this.#leaves.match(query);
        observe?.(query, documents);
        return documents;
    }

    /** When scores are wanted every clause is looked at, since rare clauses are scored by how rare they are everywhere. */
    #boolean({ must, should, not }: BooleanQuery, observe: LeafObserver | null): Bits {

        let bits: Bits | null = null;
        for (const query of must) {
            if (bits === null) {
                bits = this.match(query, observe);
            }
            else if (!andBits(bits, this.match(query, observe)) && !observe) {
                return bits;
            }
        }

        if (bits === null || observe) {
            const either = this.#anyOf(should, observe);
            bits ??= either;
        }

        for (const query of not) {
            andNotBits(bits, this.match(query, null));
        }

        return bits;
    }

    #anyOf(queries: readonly Query[], observe: LeafObserver | null): Bits {

        let bits: Bits | null = null;
        for (const query of queries) {
            if (bits === null) {
                bits = this.match(query, observe);
            }
            else {
                orBits(bits, this.match(query, observe));
            }
        }

        return bits ?? emptyBits(this.#documents);
    }
}
