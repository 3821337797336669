/**
 * Types of the parser that `npm run build` generates from grammar.peggy into dist.
 */

import type { SyntaxClauses } from './syntax-tree.js';

/** Parses a query; throws a {@link SyntaxError}. */
export function parse(text: string): SyntaxClauses;

/** Syntax error of a query. */
export class SyntaxError extends Error {
    /** Range in the text, 0-based; `end` is exclusive. */
    readonly location: { readonly start: { readonly offset: number }; readonly end: { readonly offset: number } };
    /** The character found; null at the end of the text, undefined for errors that the grammar raises itself. */
    readonly found: string | null | undefined;
    /** Null for errors that the grammar raises itself. */
    readonly expected: readonly object[] | null;
}
