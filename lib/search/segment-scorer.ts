/**
 * Adds up the scores of the matching documents of one segment.
 */

import type { Bits } from './bits.js';
import { forEachBit, hasBit } from './bits.js';
import type { Leaf } from './leaves.js';
import { Leaves } from './leaves.js';
import { decodeLength } from './lengths.js';
import type { PhraseQuery, TermQuery } from './query.js';
import { lengthFields } from './scored-leaves.js';
import type { WordLeaf } from './scored-leaves.js';
import type { SegmentScope } from './segment-scope.js';
import { placeOf } from './visibility.js';

/** How soon more occurrences of a word stop to count, and how much long texts count less; the usual values. */
const K1 = 1.2;
const B = 0.75;

/** What a scorer works on. */
export interface ScorerParts {
    readonly matches: Bits;
    /** By document; those of matches are added to. */
    readonly scores: Float32Array;
    /** What {@link normTable} makes of an average. */
    readonly tableOf: (average: number) => Float64Array;
}

export class SegmentScorer {

    readonly #scope: SegmentScope;
    readonly #matches: Bits;
    readonly #scores: Float32Array;
    readonly #sums: Uint32Array;
    readonly #tableOf: (average: number) => Float64Array;

    constructor(scope: SegmentScope, { matches, scores, tableOf }: ScorerParts) {

        this.#scope = scope;
        this.#matches = matches;
        this.#scores = scores;
        this.#tableOf = tableOf;
        this.#sums = scope.room.sums(scope.segment.documents);
    }

    constant(leaf: Leaf): void {

        const documents = leaf.kind === 'all' ? null : new Leaves(this.#scope).match(leaf);
        forEachBit(this.#matches, (document) => {

            if (documents === null || hasBit(documents, document)) {
                this.#scores[document] = (this.#scores[document] as number) + leaf.boost;
            }
        });
    }

    words(leaf: WordLeaf, weight: number, averageOf: (field: string) => number): void {

        const { segment, room } = this.#scope;
        const [documents, frequencies] = [room.documents(segment.documents), room.frequencies(segment.documents)];
        const count = leaf.kind === 'term' ? this.#termFrequencies(leaf, documents, frequencies) : this.#phraseFrequencies(leaf, documents, frequencies);
        const norms = this.#normsOf(leaf, averageOf);
        const [scores, table, lengths] = [this.#scores, norms.table, norms.lengths];
        const factor = weight * (K1 + 1);
        if (lengths) {
            for (let i = 0; i < count; ++i) {
                const document = documents[i] as number;
                const frequency = frequencies[i] as number;
                scores[document] = (scores[document] as number) + factor * frequency / (frequency + (table[lengths[document] as number] as number));
            }

            return;
        }

        for (let i = 0; i < count; ++i) {
            const document = documents[i] as number;
            const frequency = frequencies[i] as number;
            scores[document] = (scores[document] as number) + factor * frequency / (frequency + norms.of(document));
        }
    }

    /** Lists the matching documents that have a word, and how often; returns how many. */
    #termFrequencies(leaf: TermQuery, documents: Uint32Array, frequencies: Uint32Array): number {

        const leaves = new Leaves(this.#scope);
        const entries = leaves.entries(leaf);
        const [only] = entries;
        if (only && entries.length === 1 && !leaves.isHidden(only.space, only.entry)) {
            return this.#keepMatching(documents, frequencies, only.space.read(only.entry, documents, frequencies));
        }

        const [sums, matches] = [this.#sums, this.#matches];
        for (const { space, entry } of entries) {
            const hidden = leaves.isHidden(space, entry) ? this.#scope.payloads : null;
            const count = space.read(entry, documents, frequencies);
            for (let i = 0; i < count; ++i) {
                const document = documents[i] as number;
                if (((matches[document >>> 5] as number) >>> (document & 31) & 1) === 1 && (!hidden || hasBit(hidden, document))) {
                    sums[document] = (sums[document] as number) + (frequencies[i] as number);
                }
            }
        }

        return this.#takeSums(entries.length > 0, documents, frequencies);
    }

    #phraseFrequencies(leaf: PhraseQuery, documents: Uint32Array, frequencies: Uint32Array): number {

        const sums = this.#sums;
        let any = false;
        new Leaves(this.#scope).phrase(leaf, this.#matches, (document, frequency) => {

            sums[document] = (sums[document] as number) + frequency;
            any = true;
        });
        return this.#takeSums(any, documents, frequencies);
    }

    #keepMatching(documents: Uint32Array, frequencies: Uint32Array, count: number): number {

        const matches = this.#matches;
        let kept = 0;
        for (let i = 0; i < count; ++i) {
            const document = documents[i] as number;
            if (((matches[document >>> 5] as number) >>> (document & 31) & 1) === 1) {
                documents[kept] = document;
                frequencies[kept++] = frequencies[i] as number;
            }
        }

        return kept;
    }

    /** Lists what was summed up of matching documents, and leaves all sums at 0. */
    #takeSums(any: boolean, documents: Uint32Array, frequencies: Uint32Array): number {

        if (!any) {
            return 0;
        }

        const sums = this.#sums;
        let count = 0;
        forEachBit(this.#matches, (document) => {

            const sum = sums[document] as number;
            if (sum !== 0) {
                sums[document] = 0;
                documents[count] = document;
                frequencies[count++] = sum;
            }
        });
        return count;
    }

    /** What lengths do to scores: by the length in one field where all documents have one, else by document. */
    #normsOf(leaf: WordLeaf, averageOf: (field: string) => number): Norms {

        const { segment } = this.#scope;
        const fields = lengthFields(leaf).flatMap((name) => {

            const field = segment.field(name);
            const lengths = field === -1 ? null : segment.lengths(field);
            return lengths ? [{ ...lengths, average: averageOf(name) }] : [];
        });
        const [only] = fields;
        if (only && fields.length === 1 && !only.documents) {
            return { table: this.#tableOf(only.average), lengths: only.bytes, of: () => K1 };
        }

        const norm = (document: number): number => {

            let relative = 0;
            for (const { bytes, documents, average } of fields) {
                const place = documents ? placeOf(documents, document) : document;
                relative += place === -1 ? 0 : decodeLength(bytes[place] as number) / average;
            }

            return K1 * (1 - B + B * relative);
        };

        return { table: EMPTY, lengths: null, of: lengthFields(leaf).length === 0 ? () => K1 : norm };
    }
}

interface Norms {
    /** By the byte of a length. */
    readonly table: Float64Array;
    /** By document; null to use {@link of}. */
    readonly lengths: Uint8Array | null;
    readonly of: (document: number) => number;
}

const EMPTY = new Float64Array(0);

/** What the length of a field does to scores, by the byte of the length. */
export function normTable(average: number): Float64Array {

    return Float64Array.from({ length: 256 }, (_, byte) => K1 * (1 - B + B * (decodeLength(byte) / average)));
}
