/** The syntax tree of a query, as the grammar of the service makes it. */

export type PatternPart = { readonly text: string } | { readonly wildcard: 'one' | 'many' };

interface Fielded {
    readonly field: string | null;
    readonly boost: number | null;
}

export interface SyntaxClause {
    readonly conjunction: 'and' | 'or' | null;
    readonly modifier: 'must' | 'not' | null;
    readonly body: SyntaxBody;
}

export interface SyntaxClauses {
    readonly kind: 'clauses';
    readonly clauses: readonly SyntaxClause[];
}

export type SyntaxBody =
    | Fielded & { readonly kind: 'group'; readonly inner: SyntaxClauses }
    | Fielded & { readonly kind: 'word'; readonly pattern: readonly PatternPart[]; readonly fuzzy: { readonly number: number | null } | null }
    | Fielded & { readonly kind: 'phrase'; readonly text: string; readonly slop: number | null }
    | Fielded & { readonly kind: 'range'; readonly low: string | null; readonly high: string | null; readonly includesLow: boolean; readonly includesHigh: boolean };
