/**
 * The parser that `npm run build` makes of grammar.peggy, in dist.
 */

import type { SyntaxClauses } from './syntax-tree.js';

/** Reads a query; throws a {@link SyntaxError} for what is none. */
export function parse(text: string): SyntaxClauses;

/** The fault of a query. */
export class SyntaxError extends Error {
    /** Characters of the text, 0-based; `end` is after the last. */
    readonly location: { readonly start: { readonly offset: number }; readonly end: { readonly offset: number } };
    /** What stands there; null at the end of the text, undefined for faults that the grammar raises itself. */
    readonly found: string | null | undefined;
    /** Null for faults that the grammar raises itself. */
    readonly expected: readonly object[] | null;
}
