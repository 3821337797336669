/**
 * A query as it is written: what the grammar makes of a text. No field has been looked up and nothing has been analysed.
 */

/** A piece of a word: letters, or a wildcard for one letter or any number of them. */
export type PatternPart = { readonly text: string } | { readonly wildcard: 'one' | 'many' };

/** One clause in its list. AND and OR have no precedence: they only say something about their neighbours. */
export interface SyntaxClause {
    /** The word between this clause and the one before it. */
    readonly conjunction: 'and' | 'or' | null;
    readonly modifier: 'must' | 'not' | null;
    readonly body: SyntaxBody;
}

export interface SyntaxClauses {
    readonly kind: 'clauses';
    readonly clauses: readonly SyntaxClause[];
}

interface Fielded {
    /** As written, without escapes; null for the field of the surrounding group. */
    readonly field: string | null;
    readonly boost: number | null;
}

export interface SyntaxGroup extends Fielded {
    readonly kind: 'group';
    readonly inner: SyntaxClauses;
}

export interface SyntaxWord extends Fielded {
    readonly kind: 'word';
    /** Empty for a lone sign. */
    readonly pattern: readonly PatternPart[];
    /** What stands after a tilde; `number` null for a bare one. */
    readonly fuzzy: { readonly number: number | null; readonly at: number } | null;
    /** Where it begins in the text, 0-based. */
    readonly at: number;
}

export interface SyntaxPhrase extends Fielded {
    readonly kind: 'phrase';
    readonly text: string;
    readonly slop: number | null;
    readonly at: number;
}

export interface SyntaxRange extends Fielded {
    readonly kind: 'range';
    /** Null is an open end. */
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
    readonly at: number;
}

export type SyntaxBody = SyntaxGroup | SyntaxWord | SyntaxPhrase | SyntaxRange;
