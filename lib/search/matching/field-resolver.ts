/**
 * Where in a segment the words of a field of a query are.
 */

import { isNullField } from '../analysis/field-names.js';
import type { Segment } from '../segment/segment-reader.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { FieldTarget } from '../analysis/field-names.js';

/** Which fields a target means in a segment. */
export interface ResolvedField {
    readonly spaces: readonly TermDictionary[];
    /** Null for all fields of the spaces. */
    readonly fields: readonly number[] | null;
}

/** What is left out: `numbers` are words of numbers, `null` is the word of properties that are null. */
export interface Omitted {
    readonly numbers?: boolean;
    readonly null?: boolean;
}

export function resolveField(segment: Segment, target: FieldTarget, omitted: Omitted = {}): ResolvedField {

    switch (target.kind) {
        case 'any':
            return { spaces: [segment.space('text'), segment.space('number')], fields: null };
        case 'text': {
            const names = omitted.null ? target.fields.filter((name) => !isNullField(name)) : target.fields;
            return {
                spaces: omitted.numbers ? [segment.space('text')] : [segment.space('text'), segment.space('number')],
                fields: names.map((name) => segment.field(name)).filter((field) => field !== -1)
            };
        }

        case 'keyword':
            return { spaces: [segment.space('keyword')], fields: [segment.field(target.field)].filter((field) => field !== -1) };
        default:
            return { spaces: [], fields: [] };
    }
}
