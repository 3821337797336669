/**
 * Syntax tree of a query, as the grammar makes it. No field is resolved and no text is analysed.
 */

/** Part of a word: text, or a wildcard for one character or any number of them. */
export type PatternPart = { readonly text: string } | { readonly wildcard: 'one' | 'many' };

/** One clause of a list. AND and OR have no precedence: they only affect their neighbours. */
export interface SyntaxClause {
    /** Operator between this clause and the one before it. */
    readonly conjunction: 'and' | 'or' | null;
    readonly modifier: 'must' | 'not' | null;
    readonly body: SyntaxBody;
}

export interface SyntaxClauses {
    readonly kind: 'clauses';
    readonly clauses: readonly SyntaxClause[];
}

interface Fielded {
    /** As written, without escapes; null for the field of the enclosing group. */
    readonly field: string | null;
    readonly boost: number | null;
}

export interface SyntaxGroup extends Fielded {
    readonly kind: 'group';
    readonly inner: SyntaxClauses;
}

export interface SyntaxWord extends Fielded {
    readonly kind: 'word';
    /** Empty for a sign without a word. */
    readonly pattern: readonly PatternPart[];
    /** Number after a tilde; `number` is null when there is none. */
    readonly fuzzy: { readonly number: number | null; readonly at: number } | null;
    /** Offset in the text, 0-based. */
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
