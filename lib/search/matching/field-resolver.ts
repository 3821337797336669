/**
 * Resolves the target of a query clause in a segment: term dictionaries and fields.
 */

import { isNullField } from '../analysis/field-names.js';
import type { Segment } from '../segment/segment-reader.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { FieldTarget } from '../analysis/field-names.js';

/** Fields of a segment that a target stands for. */
export interface ResolvedField {
    readonly dictionaries: readonly TermDictionary[];
    /** Null for all fields of the dictionaries. */
    readonly fields: readonly number[] | null;
}

/** Terms that are left out: `numbers` those of numbers, `null` that of properties which are null. */
export interface Omitted {
    readonly numbers?: boolean;
    readonly null?: boolean;
}

/** Returns where a word is looked up: in the dictionaries of the target, and in that of stems unless it is empty. */
export function resolveWordField(segment: Segment, target: FieldTarget): ResolvedField {

    const { dictionaries, fields } = resolveField(segment, target);
    const stems = target.kind === 'any' || target.kind === 'text' ? segment.dictionary('stem') : null;
    return { dictionaries: stems && stems.termCount > 0 ? [...dictionaries, stems] : dictionaries, fields };
}

/** Resolves a target; fields that the segment does not have are left out. */
export function resolveField(segment: Segment, target: FieldTarget, omitted: Omitted = {}): ResolvedField {

    switch (target.kind) {
        case 'any':
            return { dictionaries: [segment.dictionary('text'), segment.dictionary('number')], fields: null };
        case 'text': {
            const names = omitted.null ? target.fields.filter((name) => !isNullField(name)) : target.fields;
            return {
                dictionaries: omitted.numbers ? [segment.dictionary('text')] : [segment.dictionary('text'), segment.dictionary('number')],
                fields: names.map((name) => segment.field(name)).filter((field) => field !== -1)
            };
        }

        case 'keyword':
            return { dictionaries: [segment.dictionary('keyword')], fields: [segment.field(target.field)].filter((field) => field !== -1) };
        default:
            return { dictionaries: [], fields: [] };
    }
}
