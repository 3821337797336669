/**
 * Finding single words, phrases, patterns, ranges and values in one segment: the leaves of a query. Words of payloads count only
 * in documents whose payloads the caller may read.
 */

import { badRequest } from '../doip/error.js';
import { andBits, emptyBits, hasBit, orBits, setBit } from './bits.js';
import type { Bits } from './bits.js';
import { matchColumnRange, matchNumbers, matchValue } from './column-match.js';
import { forEachMatch, isPrefix, rangeOfTerms } from './expand.js';
import { forEachSimilar } from './fuzzy.js';
import { findPhrase } from './phrase.js';
import type { PhraseSink } from './phrase.js';
import { placeOf } from './places.js';
import { addEntry } from './posting-lists.js';
import type { ExistsQuery, FuzzyQuery, PatternQuery, PhraseQuery, Query, RangeQuery, TermQuery } from './query.js';
import type { SortedTerms } from './sorted-terms.js';
import { commonFields, entriesOf } from './term-entries.js';
import type { TermSpace } from './term-space.js';
import type { SegmentScope } from './segment-scope.js';

/** Most terms that one pattern may stand for in a segment, unless they are all neighbours. */
export const MAX_EXPANSIONS = 250_000;

/** Entries between two looks at the clock. */
const PATIENCE = 256;

export type Leaf = Exclude<Query, { kind: 'boolean' }>;

type Expanded = PatternQuery | FuzzyQuery | RangeQuery;

/** Where documents are added: those that have a word in a payload alone apart. */
interface Target {
    readonly bits: Bits;
    readonly hidden: Bits;
}

export class Leaves {

    readonly #scope: SegmentScope;

    constructor(scope: SegmentScope) {

        this.#scope = scope;
    }

    /** Documents of a leaf, gone and hidden ones included; the caller may change the bits. */
    match(leaf: Leaf): Bits {

        if (leaf.kind === 'term' && leaf.target.kind !== 'number') {
            return this.#term(leaf);
        }

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
                this.#scope.phrases.take(leaf, (note) => this.phrase(leaf, null, (document, frequency) => {

                    setBit(bits, document);
                    note(document, frequency);
                }));
                return bits;
            case 'exists':
                this.#exists(leaf, bits);
                return bits;
            default:
                this.#expanded(leaf, bits);
                return bits;
        }
    }

    /** How often the words of a phrase occur together in the wanted documents; a document can come more than once. */
    phrase({ target, words, slop }: PhraseQuery, wanted: Bits | null, sink: PhraseSink): void {

        const { segment, payloads, deadline } = this.#scope;
        const { spaces, fields } = placeOf(this.#scope.segment, target);
        for (const space of spaces) {
            const terms = words.map(({ term }) => space.find(term));
            for (const field of terms.includes(-1) ? [] : commonFields(space, terms, fields)) {
                const entries = terms.map((term) => space.entry(term, field));
                const isHidden = space.name === 'text' && field < segment.payloadFields && payloads !== null;
                findPhrase(space, entries, { words, slop }, {
                    segment, deadline, wanted,
                    sink: isHidden ? (document, count) => hasBit(payloads, document) && sink(document, count) : sink
                });
            }
        }
    }

    /** The entries of a word: where it stands in each field of the target. */
    entries({ target, term }: TermQuery): { space: TermSpace; entry: number }[] {

        const { spaces, fields } = placeOf(this.#scope.segment, target);
        return spaces.flatMap((space) => {

            const found = space.find(term);
            return found === -1 ? [] : entriesOf(space, found, fields).map((entry) => ({ space, entry }));
        });
    }

    /** Has it to be asked whether the words of an entry may be searched in a document? */
    isHidden(space: TermSpace, entry: number): boolean {

        const { segment, payloads } = this.#scope;
        return payloads !== null && space.name === 'text' && space.fieldOf(entry) < segment.payloadFields;
    }

    #term(leaf: TermQuery): Bits {

        const { segment } = this.#scope;
        const bits = emptyBits(segment.documents);
        const target = this.#targetOver(bits);
        for (const { space, entry } of this.entries(leaf)) {
            this.#addEntry(space, entry, target);
        }

        this.#reveal(target);
        return bits;
    }

    #addEntry(space: TermSpace, entry: number, { bits, hidden }: Target): void {

        const { segment } = this.#scope;
        const into = this.isHidden(space, entry) ? hidden : bits;
        addEntry(segment, space, { entry, bits: into });
    }

    #expanded(leaf: TermQuery | Expanded, bits: Bits): void {

        const { segment, deadline } = this.#scope;
        const { target } = leaf;
        if (target.kind === 'number') {
            matchNumbers(segment.column(target.column), leaf, { form: target.form, bits, deadline });
            return;
        }

        if (leaf.kind === 'term' || leaf.kind === 'range' && target.kind === 'text' && matchColumnRange(segment.column(target.column), leaf, bits)) {
            return;
        }

        const { spaces, fields } = placeOf(this.#scope.segment, target, leaf.kind === 'range');
        const into = this.#targetOver(bits);
        for (const space of spaces) {
            if (!fields) {
                this.#keep(leaf, space.name, into, (target) => this.#ofAllFields(space, leaf, target));
            }

            for (const field of fields ?? []) {
                this.#keep(leaf, `${space.name} ${field}`, into, (target) => this.#ofField(space, field, leaf, target));
            }
        }

        this.#reveal(into);
    }

    /** Keeps what a pattern stands for where all words have to be looked at: those who ask for one page ask for the next. */
    #keep(leaf: Expanded, name: string, into: Target, add: (target: Target) => void): void {

        if (leaf.kind !== 'pattern' || isPrefix(leaf.pattern)) {
            add(into);
            return;
        }

        const { segment } = this.#scope;
        const { bits, hidden } = segment.shelf.get(`pattern ${name} ${JSON.stringify(leaf.pattern)}`, () => {

            const value = { bits: emptyBits(segment.documents), hidden: emptyBits(segment.documents) };
            add(value);
            return { value, bytes: value.bits.byteLength * 2 };
        });
        orBits(into.bits, bits);
        orBits(into.hidden, hidden);
    }

    #ofField(space: TermSpace, field: number, leaf: Expanded, { bits, hidden }: Target): void {

        const { segment } = this.#scope;
        const terms = segment.fieldTerms(space, field);
        const into = space.name === 'text' && field < segment.payloadFields ? hidden : bits;
        this.#expand(terms, () => segment.signatures(space, field, terms), leaf, (term) => addEntry(segment, space, {
            entry: terms.entries[term] as number, bits: into
        }));
    }

    #ofAllFields(space: TermSpace, leaf: Expanded, { bits, hidden }: Target): void {

        const { segment } = this.#scope;
        const terms = space.all;
        this.#expand(terms, () => segment.signatures(space, null, terms), leaf, (term) => {

            const end = space.firstEntry(term + 1);
            for (let entry = space.firstEntry(term); entry < end; ++entry) {
                addEntry(segment, space, { entry, bits: space.name === 'text' && space.fieldOf(entry) < segment.payloadFields ? hidden : bits });
            }
        });
    }

    #expand(terms: SortedTerms, signatures: () => Uint32Array, leaf: Expanded, add: (term: number) => void): void {

        const { deadline } = this.#scope;
        const most = isOfNeighbours(leaf) ? Infinity : MAX_EXPANSIONS;
        let count = 0;
        const visit = (term: number): void => {

            if (++count % PATIENCE === 0) {
                deadline.check();
            }

            if (count > most) {
                throw badRequest(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
            }

            add(term);
        };

        switch (leaf.kind) {
            case 'range': {
                const [first, end] = rangeOfTerms(terms, leaf);
                for (let term = first; term < end; ++term) {
                    visit(term);
                }

                return;
            }

            case 'pattern':
                forEachMatch(terms, leaf.pattern, deadline, visit);
                return;
            case 'fuzzy':
                forEachSimilar(terms, signatures(), { word: leaf.term, edits: leaf.edits, deadline }, visit);
        }
    }

    #exists({ target }: ExistsQuery, bits: Bits): void {

        const { segment } = this.#scope;
        if (target.kind === 'number' || target.kind === 'value') {
            segment.column(target.column)?.ranks().forEach((rank, document) => rank !== 0 && setBit(bits, document));
            return;
        }

        if (target.kind === 'constant') {
            bits.fill(0xffff_ffff);
            return;
        }

        const into = this.#targetOver(bits);
        for (const field of placeOf(this.#scope.segment, target).fields ?? []) {
            const lengths = segment.lengths(field);
            const list = field < segment.payloadFields ? into.hidden : bits;
            lengths?.bytes.forEach((byte, i) => byte !== 0 && setBit(list, lengths.documents ? lengths.documents[i] ?? 0 : i));
        }

        this.#reveal(into);
    }

    #targetOver(bits: Bits): Target {

        return { bits, hidden: this.#scope.payloads === null ? bits : emptyBits(this.#scope.segment.documents) };
    }

    /** Adds what was found in payloads, where that may be seen. */
    #reveal({ bits, hidden }: Target): void {

        if (hidden !== bits && this.#scope.payloads) {
            andBits(hidden, this.#scope.payloads);
            orBits(bits, hidden);
        }
    }
}

/** Ranges, and patterns that are a beginning: however many words there are, each takes little. */
function isOfNeighbours(leaf: Expanded): boolean {

    return leaf.kind === 'range' || leaf.kind === 'pattern' && isPrefix(leaf.pattern);
}
