/**
 * Query tree as it is evaluated: fields resolved, texts analysed, every clause required, optional or forbidden. Plain data, made by
 * rewriter.ts and query-by-example.ts, evaluated by query-evaluator.ts and, in the tests, by a naive matcher.
 */

import type { PatternPart } from './syntax-tree.js';
import type { FieldTarget } from '../analysis/field-names.js';

interface Scored {
    /** Factor of the score. */
    readonly boost: number;
}

/** Documents with a term in the field. */
export interface TermQuery extends Scored {
    readonly kind: 'term';
    readonly target: FieldTarget;
    readonly term: string;
    /** True when words with the same stem match as well, in texts whose language is known. */
    readonly includesStems?: boolean;
}

/** Documents with terms at certain distances. */
export interface PhraseQuery extends Scored {
    readonly kind: 'phrase';
    readonly target: FieldTarget;
    readonly words: readonly { readonly term: string; readonly position: number }[];
    readonly slop: number;
}

/** Documents with terms that match a pattern: a prefix, or wildcards anywhere. */
export interface PatternQuery extends Scored {
    readonly kind: 'pattern';
    readonly target: FieldTarget;
    readonly pattern: readonly PatternPart[];
}

/** Documents with terms within an edit distance. */
export interface FuzzyQuery extends Scored {
    readonly kind: 'fuzzy';
    readonly target: FieldTarget;
    readonly term: string;
    /** 1 or 2. */
    readonly edits: number;
}

/** Documents with terms, numbers or times between two bounds. */
export interface RangeQuery extends Scored {
    readonly kind: 'range';
    readonly target: FieldTarget;
    /** In lower case; null is an open end. */
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/** Documents with any term in the field. */
export interface ExistsQuery extends Scored {
    readonly kind: 'exists';
    readonly target: FieldTarget;
}

/** Documents with exactly this value in the field. */
export interface ValueQuery extends Scored {
    readonly kind: 'value';
    readonly column: string;
    readonly value: string;
}

/** Documents that match all of `must` and none of `not`. */
export interface BooleanQuery {
    readonly kind: 'boolean';
    readonly must: readonly Query[];
    /** At least one must match when `must` is empty. */
    readonly should: readonly Query[];
    readonly not: readonly Query[];
}

/** All documents, or none. */
export interface ConstantQuery extends Scored {
    readonly kind: 'all' | 'none';
}

export type Query = TermQuery | PhraseQuery | PatternQuery | FuzzyQuery | RangeQuery | ExistsQuery | ValueQuery | BooleanQuery | ConstantQuery;

export const MATCH_ALL: ConstantQuery = { kind: 'all', boost: 1 };

export const MATCH_NONE: ConstantQuery = { kind: 'none', boost: 1 };

/** Returns the conjunction of queries. */
export function allOf(queries: readonly Query[]): Query {

    const [first, ...rest] = queries;
    if (!first) {
        return MATCH_ALL;
    }

    return rest.length === 0 ? first : { kind: 'boolean', must: queries, should: [], not: [] };
}
