/**
 * A query as it is evaluated: fields looked up, texts analysed, every clause required, optional or forbidden. Plain data, made by
 * rewriter.ts and query-by-example.ts, evaluated by query-evaluator.ts and, in the tests, by a naive matcher.
 */

import type { PatternPart } from './syntax-tree.js';
import type { FieldTarget } from '../analysis/field-names.js';

interface Scored {
    /** Multiplies the score. */
    readonly boost: number;
}

/** A word in the field. */
export interface TermQuery extends Scored {
    readonly kind: 'term';
    readonly target: FieldTarget;
    readonly term: string;
}

/** Words at distances. */
export interface PhraseQuery extends Scored {
    readonly kind: 'phrase';
    readonly target: FieldTarget;
    readonly words: readonly { readonly term: string; readonly position: number }[];
    readonly slop: number;
}

/** Words that a pattern describes: a prefix, or wildcards anywhere. */
export interface PatternQuery extends Scored {
    readonly kind: 'pattern';
    readonly target: FieldTarget;
    readonly pattern: readonly PatternPart[];
}

/** Words that differ by few letters. */
export interface FuzzyQuery extends Scored {
    readonly kind: 'fuzzy';
    readonly target: FieldTarget;
    readonly term: string;
    /** 1 or 2. */
    readonly edits: number;
}

export interface RangeQuery extends Scored {
    readonly kind: 'range';
    readonly target: FieldTarget;
    /** Null is an open end; in lower case. */
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/** The field has a word at all. */
export interface ExistsQuery extends Scored {
    readonly kind: 'exists';
    readonly target: FieldTarget;
}

/** The field has exactly this value. */
export interface ValueQuery extends Scored {
    readonly kind: 'value';
    readonly column: string;
    readonly value: string;
}

export interface BooleanQuery {
    readonly kind: 'boolean';
    readonly must: readonly Query[];
    /** One of them is needed when nothing is required. */
    readonly should: readonly Query[];
    readonly not: readonly Query[];
}

/** All objects, or none. */
export interface ConstantQuery extends Scored {
    readonly kind: 'all' | 'none';
}

export type Query = TermQuery | PhraseQuery | PatternQuery | FuzzyQuery | RangeQuery | ExistsQuery | ValueQuery | BooleanQuery | ConstantQuery;

export const MATCH_ALL: ConstantQuery = { kind: 'all', boost: 1 };

export const MATCH_NONE: ConstantQuery = { kind: 'none', boost: 1 };

/** Both queries together; every match has to match every one of them. */
export function allOf(queries: readonly Query[]): Query {

    const [first, ...rest] = queries;
    if (!first) {
        return MATCH_ALL;
    }

    return rest.length === 0 ? first : { kind: 'boolean', must: queries, should: [], not: [] };
}
