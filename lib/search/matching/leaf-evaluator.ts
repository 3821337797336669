/**
 * Evaluates leaf queries (terms, phrases, patterns, ranges, values) in one segment. Terms of payloads count only in documents whose
 * payloads the caller may read.
 */

import { emptyBits, setBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { matchColumnRange, matchNumbers, matchValue } from './doc-values-matcher.js';
import { DocIdSetBuilder } from './doc-id-set-builder.js';
import { both, bytesOfSet, hasDocument, cachedSet, many, NO_DOCUMENTS } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { forEachTerm, isTooMany, refuseTooMany, isPrefix } from './term-expansion.js';
import type { Expanded, TermEntry } from './term-expansion.js';
import { findPhrase } from './phrase-matcher.js';
import type { PhraseSink } from './phrase-matcher.js';
import { resolveField, resolveWordField } from './field-resolver.js';
import type { ExistsQuery, PhraseQuery, Query, TermQuery } from '../query/query.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import { hasPayloadTerms } from '../segment/format.js';
import { isHidden } from './segment-context.js';
import type { SegmentContext } from './segment-context.js';
import { commonFields, entriesOf } from '../segment/term-dictionary.js';
import { termsOf } from './stem-terms.js';

/** A query without subqueries. */
export type LeafQuery = Exclude<Query, { kind: 'boolean' }>;

/** Builders for the result. Documents found by a payload go to `hidden`, which is filtered by access at the end. */
interface Target {
    readonly shown: DocIdSetBuilder;
    readonly hidden: DocIdSetBuilder;
}

/** Evaluates leaf queries in one segment. */
export class LeafEvaluator {

    readonly #scope: SegmentContext;
    readonly #all: DocumentSet;

    /**
     * @param all universe of the evaluation: documents outside of it may be ignored
     */
    constructor(scope: SegmentContext, all: DocumentSet = scope.visible) {

        this.#scope = scope;
        this.#all = all;
    }

    /** Returns the documents of a leaf; may include deleted and invisible ones. */
    match(leaf: LeafQuery): DocumentSet {

        const { segment, phrases } = this.#scope;
        switch (leaf.kind) {
            case 'all':
                return this.#all;
            case 'none':
                return NO_DOCUMENTS;
            case 'value': {
                const bits = emptyBits(segment.documents);
                matchValue(segment.column(leaf.column), leaf.value, bits);
                return many(bits);
            }

            case 'phrase': {
                const found = new DocIdSetBuilder(segment);
                phrases.take(leaf, (note) => this.phrase(leaf, null, (document, frequency) => {

                    found.add(document);
                    note(document, frequency);
                }));
                return found.take();
            }

            case 'exists':
                return this.#exists(leaf);
            default:
                return leaf.kind === 'term' && leaf.target.kind !== 'number' ? this.#term(leaf) : this.#expanded(leaf);
        }
    }

    /** Reports the frequency of a phrase in the wanted documents; a document may be reported several times, once for each field. */
    phrase({ target, words, slop }: PhraseQuery, wanted: Bits | null, sink: PhraseSink): void {

        const { segment, payloads, deadline } = this.#scope;
        const { spaces, fields } = resolveField(this.#scope.segment, target);
        for (const space of spaces) {
            const terms = words.map(({ term }) => space.find(term));
            for (const field of terms.includes(-1) ? [] : commonFields(space, terms, fields)) {
                const entries = terms.map((term) => space.entry(term, field));
                const isHidden = hasPayloadTerms(space.name) && field < segment.payloadFields && payloads !== null;
                findPhrase(space, entries, { words, slop }, {
                    segment, deadline, wanted,
                    sink: isHidden ? (document, count) => hasDocument(payloads, document) && sink(document, count) : sink
                });
            }
        }
    }

    /** Returns the entries of a term and of its stems: one for each field of the target in which they occur. */
    entries(leaf: TermQuery): { space: TermDictionary; entry: number }[] {

        const { spaces, fields } = resolveWordField(this.#scope.segment, leaf.target);
        return spaces.flatMap((space) =>
            termsOf(space, leaf).flatMap((term) => entriesOf(space, term, fields).map((entry) => ({ space, entry }))));
    }

    /** Returns whether matches of an entry depend on access to payloads. */
    isHidden(space: TermDictionary, entry: number): boolean {

        return isHidden(this.#scope, space, entry);
    }

    #term(leaf: TermQuery): DocumentSet {

        const into = this.#newTarget();
        for (const { space, entry } of this.entries(leaf)) {
            (this.isHidden(space, entry) ? into.hidden : into.shown).addEntry(space, entry);
        }

        return this.#reveal(into);
    }

    #expanded(leaf: TermQuery | Expanded): DocumentSet {

        const { segment, deadline } = this.#scope;
        const { target } = leaf;
        const into = this.#newTarget();
        if (target.kind === 'number') {
            matchNumbers(segment.column(target.column), leaf, { form: target.form, bits: into.shown.bits(), deadline });
            return into.shown.take();
        }

        const isColumnRange = leaf.kind === 'range' && target.kind === 'text' && matchColumnRange(segment.column(target.column), leaf, into.shown.bits());
        if (leaf.kind === 'term' || isColumnRange) {
            return into.shown.take();
        }

        const { spaces, fields } = resolveField(segment, target, leaf.kind === 'range' ? { numbers: true, null: true } : {});
        for (const space of spaces) {
            for (const field of fields ?? [null]) {
                if (isTooMany(leaf, this.#keep({ space, field }, leaf, into))) {
                    refuseTooMany(this.#scope, { space, field }, leaf);
                }
            }
        }

        return this.#reveal(into);
    }

    /**
     * Adds the documents of a leaf, and returns the number of its terms. A pattern for which all terms have to be scanned is
     * cached, since the next page of results needs it again.
     */
    #keep(place: TermEntry, leaf: Expanded, into: Target): number {

        if (leaf.kind !== 'pattern' || isPrefix(leaf.pattern)) {
            return this.#add(place, leaf, into);
        }

        const { segment } = this.#scope;
        const { shown, hidden, count } = segment.shelf.get(`pattern ${place.space.name} ${place.field} ${JSON.stringify(leaf.pattern)}`, () => {

            const target = { shown: new DocIdSetBuilder(segment), hidden: new DocIdSetBuilder(segment) };
            const count = this.#add(place, leaf, target);
            const value = { shown: cachedSet(target.shown.take(), segment.documents), hidden: cachedSet(target.hidden.take(), segment.documents), count };
            return { value, bytes: bytesOfSet(value.shown) + bytesOfSet(value.hidden) };
        });
        into.shown.addSet(shown);
        into.hidden.addSet(hidden);
        return count;
    }

    #add(place: TermEntry, leaf: Expanded, { shown, hidden }: Target): number {

        const { segment } = this.#scope;
        const { space, field } = place;
        if (field !== null) {
            const { entries } = segment.fieldTerms(space, field);
            const into = hasPayloadTerms(space.name) && field < segment.payloadFields ? hidden : shown;
            return forEachTerm(this.#scope, place, leaf, (term) => into.addEntry(space, entries[term] as number));
        }

        return forEachTerm(this.#scope, place, leaf, (term) => {

            const end = space.firstEntry(term + 1);
            for (let entry = space.firstEntry(term); entry < end; ++entry) {
                (hasPayloadTerms(space.name) && space.fieldOf(entry) < segment.payloadFields ? hidden : shown).addEntry(space, entry);
            }
        });
    }

    #exists({ target }: ExistsQuery): DocumentSet {

        const { segment } = this.#scope;
        if (target.kind === 'constant') {
            return this.#all;
        }

        const into = this.#newTarget();
        if (target.kind === 'number' || target.kind === 'value') {
            const bits = into.shown.bits();
            segment.column(target.column)?.docOrdinals().forEach((rank, document) => rank !== 0 && setBit(bits, document));
            return into.shown.take();
        }

        for (const field of resolveField(segment, target, { null: true }).fields ?? []) {
            const lengths = segment.lengths(field);
            const list = (field < segment.payloadFields ? into.hidden : into.shown).bits();
            lengths?.bytes.forEach((byte, i) => byte !== 0 && setBit(list, lengths.documents ? lengths.documents[i] ?? 0 : i));
        }

        return this.#reveal(into);
    }

    #newTarget(): Target {

        const shown = new DocIdSetBuilder(this.#scope.segment);
        return { shown, hidden: this.#scope.payloads === null ? shown : new DocIdSetBuilder(this.#scope.segment) };
    }

    /** Returns all documents found; those found by payloads only where the caller may read these. */
    #reveal({ shown, hidden }: Target): DocumentSet {

        const { payloads } = this.#scope;
        if (payloads && hidden !== shown) {
            shown.addSet(both(hidden.take(), payloads));
        }

        return shown.take();
    }
}
