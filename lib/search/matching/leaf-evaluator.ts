/**
 * Evaluates leaf queries (terms, phrases, patterns, ranges, values) in one segment. Terms of payloads count only in documents whose
 * payloads the caller may read.
 */

import { emptyBits, setBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { matchColumnRange, matchNumbers, matchValue } from './doc-values-matcher.js';
import { DocIdSetBuilder } from './doc-id-set-builder.js';
import { both, bytesOfSet, hasDocument, cachedSet, denseSet, NO_DOCUMENTS } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { forEachTerm, isTooMany, rejectTooMany, isPrefix } from './term-expansion.js';
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
    readonly visible: DocIdSetBuilder;
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
                return denseSet(bits);
            }

            case 'phrase': {
                const found = new DocIdSetBuilder(segment);
                phrases.take(leaf, (visit) => this.phrase(leaf, null, (document, frequency) => {

                    found.add(document);
                    visit(document, frequency);
                }));
                return found.build();
            }

            case 'exists':
                return this.#exists(leaf);
            default:
                return leaf.kind === 'term' && leaf.target.kind !== 'number' ? this.#term(leaf) : this.#expanded(leaf);
        }
    }

    /** Reports the frequency of a phrase in the wanted documents; a document may be reported several times, once for each field. */
    phrase({ target, words, slop }: PhraseQuery, among: Bits | null, sink: PhraseSink): void {

        const { segment, payloads, deadline } = this.#scope;
        const { dictionaries, fields } = resolveField(this.#scope.segment, target);
        for (const dictionary of dictionaries) {
            const terms = words.map(({ term }) => dictionary.find(term));
            for (const field of terms.includes(-1) ? [] : commonFields(dictionary, terms, fields)) {
                const entries = terms.map((term) => dictionary.entry(term, field));
                const isHidden = hasPayloadTerms(dictionary.name) && field < segment.payloadFields && payloads !== null;
                findPhrase(dictionary, entries, { words, slop }, {
                    segment, deadline, among,
                    sink: isHidden ? (document, count) => hasDocument(payloads, document) && sink(document, count) : sink
                });
            }
        }
    }

    /** Returns the entries of a term and of its stems: one for each field of the target in which they occur. */
    entries(leaf: TermQuery): { dictionary: TermDictionary; entry: number }[] {

        const { dictionaries, fields } = resolveWordField(this.#scope.segment, leaf.target);
        return dictionaries.flatMap((dictionary) =>
            termsOf(dictionary, leaf).flatMap((term) => entriesOf(dictionary, term, fields).map((entry) => ({ dictionary, entry }))));
    }

    /** Returns whether matches of an entry depend on access to payloads. */
    isHidden(dictionary: TermDictionary, entry: number): boolean {

        return isHidden(this.#scope, dictionary, entry);
    }

    #term(leaf: TermQuery): DocumentSet {

        const into = this.#newTarget();
        for (const { dictionary, entry } of this.entries(leaf)) {
            (this.isHidden(dictionary, entry) ? into.hidden : into.visible).addEntry(dictionary, entry);
        }

        return this.#withPayloadAccess(into);
    }

    #expanded(leaf: TermQuery | Expanded): DocumentSet {

        const { segment, deadline } = this.#scope;
        const { target } = leaf;
        const into = this.#newTarget();
        if (target.kind === 'number') {
            matchNumbers(segment.column(target.column), leaf, { form: target.form, bits: into.visible.bits(), deadline });
            return into.visible.build();
        }

        const isColumnRange = leaf.kind === 'range' && target.kind === 'text' && matchColumnRange(segment.column(target.column), leaf, into.visible.bits());
        if (leaf.kind === 'term' || isColumnRange) {
            return into.visible.build();
        }

        const { dictionaries, fields } = resolveField(segment, target, leaf.kind === 'range' ? { numbers: true, null: true } : {});
        for (const dictionary of dictionaries) {
            for (const field of fields ?? [null]) {
                if (isTooMany(leaf, this.#addExpanded({ dictionary, field }, leaf, into))) {
                    rejectTooMany(this.#scope, { dictionary, field }, leaf);
                }
            }
        }

        return this.#withPayloadAccess(into);
    }

    /**
     * Adds the documents of a leaf, and returns the number of its terms. A pattern for which all terms have to be scanned is
     * cached, since the next page of results needs it again.
     */
    #addExpanded(termEntry: TermEntry, leaf: Expanded, into: Target): number {

        if (leaf.kind !== 'pattern' || isPrefix(leaf.pattern)) {
            return this.#add(termEntry, leaf, into);
        }

        const { segment } = this.#scope;
        const { visible, hidden, count } = segment.cache.get(`pattern ${termEntry.dictionary.name} ${termEntry.field} ${JSON.stringify(leaf.pattern)}`, () => {

            const target = { visible: new DocIdSetBuilder(segment), hidden: new DocIdSetBuilder(segment) };
            const count = this.#add(termEntry, leaf, target);
            const value = { visible: cachedSet(target.visible.build(), segment.documents), hidden: cachedSet(target.hidden.build(), segment.documents), count };
            return { value, bytes: bytesOfSet(value.visible) + bytesOfSet(value.hidden) };
        });
        into.visible.addSet(visible);
        into.hidden.addSet(hidden);
        return count;
    }

    #add(termEntry: TermEntry, leaf: Expanded, { visible, hidden }: Target): number {

        const { segment } = this.#scope;
        const { dictionary, field } = termEntry;
        if (field !== null) {
            const { entries } = segment.fieldTerms(dictionary, field);
            const into = hasPayloadTerms(dictionary.name) && field < segment.payloadFields ? hidden : visible;
            return forEachTerm(this.#scope, termEntry, leaf, (term) => into.addEntry(dictionary, entries[term] as number));
        }

        return forEachTerm(this.#scope, termEntry, leaf, (term) => {

            const end = dictionary.firstEntry(term + 1);
            for (let entry = dictionary.firstEntry(term); entry < end; ++entry) {
                (hasPayloadTerms(dictionary.name) && dictionary.fieldOf(entry) < segment.payloadFields ? hidden : visible).addEntry(dictionary, entry);
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
            const bits = into.visible.bits();
            segment.column(target.column)?.docOrdinals().forEach((ordinal, document) => ordinal !== 0 && setBit(bits, document));
            return into.visible.build();
        }

        for (const field of resolveField(segment, target, { null: true }).fields ?? []) {
            const lengths = segment.lengths(field);
            const list = (field < segment.payloadFields ? into.hidden : into.visible).bits();
            lengths?.bytes.forEach((byte, i) => byte !== 0 && setBit(list, lengths.documents ? lengths.documents[i] ?? 0 : i));
        }

        return this.#withPayloadAccess(into);
    }

    #newTarget(): Target {

        const visible = new DocIdSetBuilder(this.#scope.segment);
        return { visible, hidden: this.#scope.payloads === null ? visible : new DocIdSetBuilder(this.#scope.segment) };
    }

    /** Returns all documents found; those found by payloads only where the caller may read these. */
    #withPayloadAccess({ visible, hidden }: Target): DocumentSet {

        const { payloads } = this.#scope;
        if (payloads && hidden !== visible) {
            visible.addSet(both(hidden.build(), payloads));
        }

        return visible.build();
    }
}
