/**
 * Scores: BM25 over the words and phrases of a query, a constant for everything else. All figures that go into a score are those of
 * the documents that the caller may see, summed over all segments; so a score neither depends on how documents are spread over
 * segments nor tells of documents that the caller may not see.
 */

import type { Bits } from './bits.js';
import { countCommon, hasBit } from './bits.js';
import { ALL_FIELD } from './field-names.js';
import type { Leaf } from './leaves.js';
import { Leaves } from './leaves.js';
import { decodeLength } from './lengths.js';
import type { PhraseQuery, Query, TermQuery } from './query.js';
import type { SegmentScope } from './segment-scope.js';

/** How soon more occurrences of a word stop to count, and how much long texts count less; the usual values. */
const K1 = 1.2;
const B = 0.75;

/** A leaf of which it counts how rare it is. */
type WordLeaf = TermQuery | PhraseQuery;

/** Gathers the figures of one query over all segments. */
export class Scoring {

    readonly #documentCounts = new Map<Leaf, number>();
    readonly #averages = new Map<string, number>();
    #documents = 0;

    /** Counts the documents of one segment. */
    addSegment(scope: SegmentScope): void {

        this.#documents += scope.visibleCount;
    }

    /** Notes the documents of a leaf in one segment. */
    observe(leaf: Leaf, documents: Bits, scope: SegmentScope): void {

        if (isWordLeaf(leaf)) {
            this.#documentCounts.set(leaf, (this.#documentCounts.get(leaf) ?? 0) + countCommon(documents, scope.visible));
        }
    }

    /** Computes average lengths; to be called when all segments have been counted. */
    prepare(query: Query, scopes: readonly SegmentScope[]): void {

        for (const leaf of scoredLeaves(query)) {
            for (const field of isWordLeaf(leaf) ? lengthFields(leaf) : []) {
                if (!this.#averages.has(field)) {
                    const sums = scopes.map((scope) => scope.lengthSum(field));
                    const documents = sums.reduce((sum, part) => sum + part.documents, 0);
                    const words = sums.reduce((sum, part) => sum + part.words, 0);
                    this.#averages.set(field, documents === 0 ? 1 : words / documents);
                }
            }
        }
    }

    /** The scores of the matching documents of a segment. */
    score(query: Query, matches: Bits, scope: SegmentScope): Float32Array {

        const scores = new Float32Array(scope.segment.documents);
        const scorer = new SegmentScorer(scope, matches, scores);
        for (const leaf of scoredLeaves(query)) {
            if (isWordLeaf(leaf)) {
                scorer.words(leaf, this.#rarity(leaf) * leaf.boost, (name) => this.#averages.get(name) ?? 1);
            }
            else {
                scorer.constant(leaf);
            }
        }

        return scores;
    }

    #rarity(leaf: WordLeaf): number {

        const having = Math.min(this.#documentCounts.get(leaf) ?? 0, this.#documents);
        return Math.log(1 + (this.#documents - having + 0.5) / (having + 0.5));
    }
}

class SegmentScorer {

    readonly #scope: SegmentScope;
    readonly #matches: Bits;
    readonly #scores: Float32Array;
    readonly #frequencies: Float32Array;

    constructor(scope: SegmentScope, matches: Bits, scores: Float32Array) {

        this.#scope = scope;
        this.#matches = matches;
        this.#scores = scores;
        this.#frequencies = new Float32Array(scope.segment.documents);
    }

    constant(leaf: Leaf): void {

        if (leaf.kind === 'all') {
            forEachMatch(this.#matches, (document) => this.#add(document, leaf.boost));
            return;
        }

        const documents = new Leaves(this.#scope).match(leaf);
        forEachMatch(this.#matches, (document) => {

            if (hasBit(documents, document)) {
                this.#add(document, leaf.boost);
            }
        });
    }

    words(leaf: WordLeaf, weight: number, averageOf: (field: string) => number): void {

        const lengths = lengthFields(leaf).map((name) => this.#lengthsOf(name, averageOf(name)));
        const documents = leaf.kind === 'term' ? this.#termFrequencies(leaf) : this.#phraseFrequencies(leaf);
        const frequencies = this.#frequencies;
        for (const document of documents) {
            const frequency = frequencies[document] as number;
            frequencies[document] = 0;
            if (frequency !== 0 && hasBit(this.#matches, document)) {
                let relative = 0;
                for (const lengthOf of lengths) {
                    relative += lengthOf(document);
                }

                const norm = lengths.length === 0 ? K1 : K1 * (1 - B + B * relative);
                this.#add(document, weight * frequency * (K1 + 1) / (frequency + norm));
            }
        }
    }

    /** Notes how often a word occurs in the matching documents; returns these, some of them more than once. */
    #termFrequencies(leaf: TermQuery): number[] | Uint32Array {

        const { segment, payloads, documents, frequencies } = this.#scope;
        const entries = new Leaves(this.#scope).entries(leaf);
        const found: number[] = [];
        for (const { space, entry } of entries) {
            const hidden = space === segment.text && space.fieldOf(entry) < segment.payloadFields ? payloads : null;
            const count = space.read(entry, documents, frequencies);
            for (let i = 0; i < count; ++i) {
                const document = documents[i] as number;
                if (!hidden || hasBit(hidden, document)) {
                    this.#frequencies[document] = (this.#frequencies[document] as number) + (frequencies[i] as number);
                    if (entries.length > 1) {
                        found.push(document);
                    }
                }
            }

            if (entries.length === 1) {
                return documents.subarray(0, count);
            }
        }

        return found;
    }

    #phraseFrequencies(leaf: PhraseQuery): number[] {

        const found: number[] = [];
        new Leaves(this.#scope).phrase(leaf, (document, frequency) => {

            this.#frequencies[document] = (this.#frequencies[document] as number) + frequency;
            found.push(document);
        });
        return found;
    }

    /** Length of a field in a document, as a share of the average. */
    #lengthsOf(name: string, average: number): (document: number) => number {

        const { segment } = this.#scope;
        const field = segment.field(name);
        const lengths = field === -1 ? null : segment.lengths(field);
        if (!lengths) {
            return () => 0;
        }

        const table = Float64Array.from({ length: 256 }, (_, byte) => decodeLength(byte) / average);
        const { bytes, documents } = lengths;
        if (!documents) {
            return (document) => table[bytes[document] as number] as number;
        }

        const places = new Map(Array.from(documents, (document, i) => [document, i]));
        return (document) => {

            const place = places.get(document);
            return place === undefined ? 0 : table[bytes[place] as number] as number;
        };
    }

    #add(document: number, score: number): void {

        this.#scores[document] = (this.#scores[document] as number) + score;
    }
}

/** Leaves that add to the score: all that are not forbidden. */
function *scoredLeaves(query: Query): Generator<Leaf> {

    if (query.kind !== 'boolean') {
        yield query;
        return;
    }

    for (const clause of [...query.must, ...query.should]) {
        yield *scoredLeaves(clause);
    }
}

function isWordLeaf(leaf: Leaf): leaf is WordLeaf {

    return leaf.kind === 'phrase' || leaf.kind === 'term' && leaf.target.kind !== 'number';
}

/** Fields whose lengths count; none for whole values. */
function lengthFields({ target }: WordLeaf): readonly string[] {

    switch (target.kind) {
        case 'any':
            return [ALL_FIELD];
        case 'text':
            return target.fields;
        default:
            return [];
    }
}

function forEachMatch(matches: Bits, visit: (document: number) => void): void {

    for (let i = 0; i < matches.length; ++i) {
        let word = matches[i] as number;
        while (word !== 0) {
            visit(i * 32 + 31 - Math.clz32(word & -word));
            word &= word - 1;
        }
    }
}
