/**
 * The entries of terms in the fields that a query names.
 */

import type { TermDictionary } from './term-dictionary.js';

/** Entries of a term in some fields, or in all of them. */
export function entriesOf(space: TermDictionary, term: number, fields: readonly number[] | null): number[] {

    if (fields) {
        return fields.map((field) => space.entry(term, field)).filter((entry) => entry !== -1);
    }

    const [first, end] = [space.firstEntry(term), space.firstEntry(term + 1)];
    return Array.from({ length: end - first }, (_, i) => first + i);
}

/** Fields in which all the terms occur. */
export function commonFields(space: TermDictionary, terms: readonly number[], fields: readonly number[] | null): number[] {

    const [first = 0, ...rest] = terms;
    const candidates = fields ?? entriesOf(space, first, null).map((entry) => space.fieldOf(entry));
    return candidates.filter((field) => space.entry(first, field) !== -1 && rest.every((term) => space.entry(term, field) !== -1));
}
