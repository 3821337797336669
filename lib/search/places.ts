/**
 * Where in a segment the words of a field of a query are.
 */

import type { FieldTarget } from './query.js';
import type { Segment } from './segment.js';
import type { TermSpace } from './term-space.js';

/** Which fields a target means in a segment. */
export interface Place {
    readonly spaces: readonly TermSpace[];
    /** Null for all fields of the spaces. */
    readonly fields: readonly number[] | null;
}

/** @param textOnly leaves out words of numbers */
export function placeOf(segment: Segment, target: FieldTarget, textOnly = false): Place {

    switch (target.kind) {
        case 'any':
            return { spaces: [segment.space('text'), segment.space('number')], fields: null };
        case 'text':
            return {
                spaces: textOnly ? [segment.space('text')] : [segment.space('text'), segment.space('number')],
                fields: target.fields.map((name) => segment.field(name)).filter((field) => field !== -1)
            };
        case 'keyword':
            return { spaces: [segment.space('keyword')], fields: [segment.field(target.field)].filter((field) => field !== -1) };
        default:
            return { spaces: [], fields: [] };
    }
}
