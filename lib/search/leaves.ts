/**
 * Finding single words, phrases, patterns, ranges and values in one segment: the leaves of a query. Words of payloads count only
 * in documents whose payloads the caller may read.
 */

import { badRequest } from '../doip/error.js';
import { andBits, emptyBits, hasBit, orBits, setBit, setBits } from './bits.js';
import type { Bits } from './bits.js';
import { matchColumnRange, matchNumbers, matchValue } from './column-match.js';
import { rangeOfTerms, termsOfPattern } from './expand.js';
import { fuzzyTerms } from './fuzzy.js';
import { findPhrase } from './phrase.js';
import type { PhraseSink } from './phrase.js';
import type { ExistsQuery, FieldTarget, FuzzyQuery, PatternQuery, PhraseQuery, Query, RangeQuery, TermQuery } from './query.js';
import type { TermSpace } from './term-space.js';
import type { SegmentScope } from './segment-scope.js';

/** Most terms that one pattern may stand for in a segment. */
export const MAX_EXPANSIONS = 50_000;

/** Entries between two looks at the clock. */
const PATIENCE = 256;

export type Leaf = Exclude<Query, { kind: 'boolean' }>;

/** Which fields a target means in a segment. */
interface Place {
    readonly spaces: readonly TermSpace[];
    /** Null for all fields of the spaces. */
    readonly fields: readonly number[] | null;
}

export class Leaves {

    readonly #scope: SegmentScope;

    constructor(scope: SegmentScope) {

        this.#scope = scope;
    }

    /** Documents of a leaf, gone and hidden ones included. */
    match(leaf: Leaf): Bits {

        const bits = emptyBits(this.#scope.segment.documents);
        switch (leaf.kind) {
            case 'all':
                return bits.fill(0xffff_ffff);
            case 'none':
                return bits;
            case 'value':
                matchValue(this.#scope.segment.column(leaf.column), leaf.value, bits);
                return bits;
            case 'phrase':
                this.phrase(leaf, (document) => setBit(bits, document));
                return bits;
            case 'exists':
                this.#exists(leaf, bits);
                return bits;
            default:
                return this.#terms(leaf, bits);
        }
    }

    /** How often the words of a phrase occur together; a document can come more than once. */
    phrase({ target, words, slop }: PhraseQuery, sink: PhraseSink): void {

        const { payloadFields } = this.#scope.segment;
        const { payloads, deadline } = this.#scope;
        const { spaces, fields } = this.#place(target);
        for (const space of spaces) {
            const terms = words.map(({ term }) => space.find(term));
            for (const field of terms.includes(-1) ? [] : commonFields(space, terms, fields)) {
                const entries = terms.map((term) => space.entry(term, field));
                const isHidden = field < payloadFields && payloads !== null;
                findPhrase(space, entries, { words, slop }, {
                    deadline,
                    sink: isHidden ? (document, count) => hasBit(payloads, document) && sink(document, count) : sink
                });
            }
        }
    }

    /** The entries of a word: where it stands in each field of the target. */
    entries({ target, term }: TermQuery): { space: TermSpace; entry: number }[] {

        const { spaces, fields } = this.#place(target);
        return spaces.flatMap((space) => {

            const found = space.find(term);
            return found === -1 ? [] : entriesOf(space, found, fields).map((entry) => ({ space, entry }));
        });
    }

    #terms(leaf: TermQuery | PatternQuery | FuzzyQuery | RangeQuery, bits: Bits): Bits {

        const { target } = leaf;
        if (target.kind === 'number') {
            matchNumbers(this.#scope.segment.column(target.column), leaf, { form: target.form, bits, deadline: this.#scope.deadline });
            return bits;
        }

        if (leaf.kind === 'range' && target.kind === 'text') {
            const isDone = matchColumnRange(this.#scope.segment.column(target.column), leaf, bits);
            if (isDone) {
                return bits;
            }
        }

        const { spaces, fields } = this.#place(target, leaf.kind === 'range');
        const hidden = this.#scope.payloads === null ? bits : emptyBits(this.#scope.segment.documents);
        for (const space of spaces) {
            for (const term of this.#expand(space, leaf)) {
                this.#addTerm({ space, term, fields }, bits, hidden);
            }
        }

        this.#reveal(bits, hidden);
        return bits;
    }

    #expand(space: TermSpace, leaf: TermQuery | PatternQuery | FuzzyQuery | RangeQuery): Iterable<number> {

        const { deadline } = this.#scope;
        switch (leaf.kind) {
            case 'term': {
                const term = space.find(leaf.term);
                return term === -1 ? [] : [term];
            }

            case 'range':
                return numbersBetween(...rangeOfTerms(space, leaf));
            case 'pattern':
                return bounded(termsOfPattern(space, leaf.pattern, deadline));
            case 'fuzzy':
                return bounded(fuzzyTerms(space, leaf.term, leaf.edits, deadline));
        }
    }

    /** Adds the documents of a term; those that have it in a payload alone to `hidden`. */
    #addTerm({ space, term, fields }: { space: TermSpace; term: number; fields: Place['fields'] }, bits: Bits, hidden: Bits): void {

        const { segment, deadline, documents } = this.#scope;
        if (term % PATIENCE === 0) {
            deadline.check();
        }

        for (const entry of entriesOf(space, term, fields)) {
            const isPayload = space === segment.text && space.fieldOf(entry) < segment.payloadFields;
            setBits(isPayload ? hidden : bits, documents, space.read(entry, documents, null));
        }
    }

    #exists({ target }: ExistsQuery, bits: Bits): void {

        if (target.kind === 'number' || target.kind === 'value') {
            this.#scope.segment.column(target.column)?.ranks().forEach((rank, document) => rank !== 0 && setBit(bits, document));
            return;
        }

        if (target.kind === 'constant') {
            bits.fill(0xffff_ffff);
            return;
        }

        const { segment, payloads } = this.#scope;
        for (const field of this.#place(target).fields ?? []) {
            const lengths = segment.lengths(field);
            const hidden = field < segment.payloadFields && payloads !== null ? emptyBits(segment.documents) : bits;
            lengths?.bytes.forEach((byte, i) => byte !== 0 && setBit(hidden, lengths.documents ? lengths.documents[i] ?? 0 : i));
            this.#reveal(bits, hidden);
        }
    }

    /** Adds what was found in payloads, where that may be seen. */
    #reveal(bits: Bits, hidden: Bits): void {

        if (hidden !== bits && this.#scope.payloads) {
            andBits(hidden, this.#scope.payloads);
            orBits(bits, hidden);
        }
    }

    #place(target: FieldTarget, textOnly = false): Place {

        const { segment } = this.#scope;
        switch (target.kind) {
            case 'any':
                return { spaces: [segment.text, segment.number], fields: null };
            case 'text':
                return {
                    spaces: textOnly ? [segment.text] : [segment.text, segment.number],
                    fields: target.fields.map((name) => segment.field(name)).filter((field) => field !== -1)
                };
            case 'keyword':
                return { spaces: [segment.keyword], fields: [segment.field(target.field)].filter((field) => field !== -1) };
            default:
                return { spaces: [], fields: [] };
        }
    }
}

/** Entries of a term in some fields, or in all of them. */
function entriesOf(space: TermSpace, term: number, fields: Place['fields']): number[] {

    if (fields) {
        return fields.map((field) => space.entry(term, field)).filter((entry) => entry !== -1);
    }

    const [first, end] = [space.firstEntry(term), space.firstEntry(term + 1)];
    return Array.from({ length: end - first }, (_, i) => first + i);
}

/** Fields in which all the terms occur. */
function commonFields(space: TermSpace, terms: readonly number[], fields: Place['fields']): number[] {

    const [first = 0, ...rest] = terms;
    const candidates = fields ?? entriesOf(space, first, null).map((entry) => space.fieldOf(entry));
    return candidates.filter((field) => space.entry(first, field) !== -1 && rest.every((term) => space.entry(term, field) !== -1));
}

function bounded(terms: readonly number[]): readonly number[] {

    if (terms.length > MAX_EXPANSIONS) {
        throw badRequest(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
    }

    return terms;
}

function *numbersBetween(first: number, end: number): Generator<number> {

    for (let number = first; number < end; ++number) {
        yield number;
    }
}
