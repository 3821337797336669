/**
 * Computes the scores of the matching documents of one segment.
 */

import type { Bits } from '../docset/bit-set.js';
import { hasBit } from '../docset/bit-set.js';
import { factorOf, NORM_OF_VALUES, normOf, score } from './bm25.js';
import { forEachDocument, hasDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { LeafQuery } from '../matching/leaf-evaluator.js';
import { LeafEvaluator } from '../matching/leaf-evaluator.js';
import { decodeLength } from '../segment/norms.js';
import { entryList } from '../segment/postings-cache.js';
import type { PostingList } from '../segment/postings-cache.js';
import type { PhraseQuery, TermQuery } from '../query/query.js';
import { lengthFields } from './scored-clauses.js';
import type { WordLeaf } from './scored-clauses.js';
import type { SegmentContext } from '../matching/segment-context.js';
import { forEachIndex, isMuchLonger, indexInList } from '../docset/sorted-doc-ids.js';
import type { ScratchBuffers } from '../docset/scratch-buffers.js';

/** Number of documents from which contributions are computed in advance, */
const DENSE_THRESHOLD = 4096;

/** for frequencies below this. */
const COMMON_FREQUENCIES = 5;

/** Input and output of a scorer. */
export interface ScorerParts {
    readonly matches: DocumentSet;
    /** The same documents as {@link matches}. */
    readonly bits: Bits;
    /** By document; contributions are added to those of the matches. */
    readonly scores: Float32Array;
    /** Returns {@link normTable} of an average, cached. */
    readonly tableOf: (average: number) => Float64Array;
}

export class SegmentScorer {

    readonly #scope: SegmentContext;
    readonly #matches: DocumentSet;
    readonly #bits: Bits;
    readonly #scores: Float32Array;
    readonly #tableOf: (average: number) => Float64Array;

    constructor(scope: SegmentContext, { matches, bits, scores, tableOf }: ScorerParts) {

        this.#scope = scope;
        this.#matches = matches;
        this.#bits = bits;
        this.#scores = scores;
        this.#tableOf = tableOf;
    }

    constant(leaf: LeafQuery): null {

        const documents = leaf.kind === 'all' ? null : new LeafEvaluator(this.#scope).match(leaf);
        forEachDocument(this.#matches, (document) => {

            if (documents === null || hasDocument(documents, document)) {
                this.#scores[document] = (this.#scores[document] as number) + leaf.boost;
            }
        });
        return null;
    }

    /** Adds the contribution of a leaf. Returns a list with all matching documents of the leaf, without duplicates; valid until the next call. */
    words(leaf: WordLeaf, weight: number, averageOf: (field: string) => number): Uint32Array {

        const list = leaf.kind === 'term' ? this.#ofTerm(leaf) : this.#ofPhrase(leaf);
        if (list.documents.length > 0) {
            this.#add(list, factorOf(weight), this.#normsOf(leaf, averageOf));
        }

        return list.documents;
    }

    #add(list: PostingList, factor: number, { table, lengths, of }: Norms): void {

        if (lengths) {
            this.#addByLength(list, factor, { table, lengths });
            return;
        }

        const { documents, frequencies } = list;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            if (hasBit(this.#bits, document)) {
                const frequency = frequencies[i] as number;
                this.#scores[document] = (this.#scores[document] as number) + score(factor, frequency, of(document));
            }
        }
    }

    #addByLength({ documents, frequencies }: PostingList, factor: number, { table, lengths }: { table: Float64Array; lengths: Uint8Array }): void {

        const [scores, matches] = [this.#scores, this.#bits];
        const precomputed = documents.length < DENSE_THRESHOLD ? EMPTY : shares(factor, table);
        const most = precomputed.length >>> 8;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            if (((matches[document >>> 5] as number) >>> (document & 31) & 1) === 1) {
                const frequency = frequencies[i] as number;
                const length = lengths[document] as number;
                scores[document] = (scores[document] as number) +
                    (frequency < most ? precomputed[frequency << 8 | length] as number : score(factor, frequency, table[length] as number));
            }
        }
    }

    /** Returns the documents that have a term, and its frequencies; may include documents that do not match. */
    #ofTerm(leaf: TermQuery): PostingList {

        const leaves = new LeafEvaluator(this.#scope);
        const { segment, payloads } = this.#scope;
        const entries = leaves.entries(leaf);
        const [only] = entries;
        if (only && entries.length === 1 && !leaves.isHidden(only.dictionary, only.entry)) {
            return this.#matching(entryList(segment, only.dictionary, only.entry));
        }

        const sums = this.#newSums();
        for (const { dictionary, entry } of entries) {
            sums.add(this.#matching(entryList(segment, dictionary, entry)), leaves.isHidden(dictionary, entry) ? payloads : null);
        }

        return sums.take();
    }

    /** Drops most documents that do not match, where these are many. */
    #matching(list: PostingList): PostingList {

        const matches = this.#matches;
        if (matches.kind === 'many' || !isMuchLonger(list.documents, matches.documents)) {
            return list;
        }

        const documents = new Uint32Array(matches.documents.length);
        const frequencies = new Uint32Array(documents.length);
        let count = 0;
        forEachIndex(list.documents, matches.documents, (index) => {

            documents[count] = list.documents[index] as number;
            frequencies[count++] = list.frequencies[index] as number;
        });
        return { documents: documents.subarray(0, count), frequencies };
    }

    #ofPhrase(leaf: PhraseQuery): PostingList {

        const sums = this.#newSums();
        const cached = this.#scope.phrases.get(leaf);
        if (cached) {
            sums.add(cached, null);
            return sums.take();
        }

        new LeafEvaluator(this.#scope).phrase(leaf, this.#bits, (document, frequency) => sums.addOne(document, frequency));
        return sums.take();
    }

    #newSums(): TermFrequencyAccumulator {

        return new TermFrequencyAccumulator(this.#scope.buffers, this.#scope.segment.documents, this.#bits);
    }

    /** Returns the norms: by the length in one field where every document has one, else computed for each document. */
    #normsOf(leaf: WordLeaf, averageOf: (field: string) => number): Norms {

        const { segment } = this.#scope;
        const fields = lengthFields(leaf).flatMap((name) => {

            const field = segment.field(name);
            const lengths = field === -1 ? null : segment.lengths(field);
            return lengths ? [{ ...lengths, average: averageOf(name) }] : [];
        });
        const [only] = fields;
        if (only && fields.length === 1 && !only.documents) {
            return { table: this.#tableOf(only.average), lengths: only.bytes, of: () => NORM_OF_VALUES };
        }

        const norm = (document: number): number => {

            let relative = 0;
            for (const { bytes, documents, average } of fields) {
                const index = documents ? indexInList(documents, document) : document;
                relative += index === -1 ? 0 : decodeLength(bytes[index] as number) / average;
            }

            return normOf(relative);
        };

        return { table: EMPTY, lengths: null, of: lengthFields(leaf).length === 0 ? () => NORM_OF_VALUES : norm };
    }
}

interface Norms {
    /** Norms by the byte of a length. */
    readonly table: Float64Array;
    /** Bytes of lengths by document; null to use {@link of}. */
    readonly lengths: Uint8Array | null;
    readonly of: (document: number) => number;
}

const EMPTY = new Float64Array(0);

/** Returns the contributions by frequency and byte of the length. */
function shares(factor: number, table: Float64Array): Float64Array {

    const precomputed = new Float64Array(COMMON_FREQUENCIES << 8);
    for (let i = 256; i < precomputed.length; ++i) {
        const frequency = i >>> 8;
        precomputed[i] = score(factor, frequency, table[i & 255] as number);
    }

    return precomputed;
}

/** Sums the frequencies of a term over fields, for matching documents. */
class TermFrequencyAccumulator {

    readonly #buffers: ScratchBuffers;
    readonly #matches: Bits;
    /** By document; all 0 before and after use. */
    readonly #sums: Uint32Array;
    readonly #found: Uint32Array;
    #count = 0;

    /**
     * @param documents number of documents of the segment; only one accumulator may use the scratch buffers at a time
     */
    constructor(buffers: ScratchBuffers, documents: number, matches: Bits) {

        this.#buffers = buffers;
        this.#matches = matches;
        this.#sums = buffers.sums(documents);
        this.#found = buffers.documents(documents);
    }

    /** Adds the frequencies of matching documents; with `allowed`, only of those in this set. */
    add({ documents, frequencies }: PostingList, allowed: DocumentSet | null): void {

        const [sums, found, matches] = [this.#sums, this.#found, this.#matches];
        let count = this.#count;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            if (((matches[document >>> 5] as number) >>> (document & 31) & 1) === 0 || allowed && !hasDocument(allowed, document)) {
                continue;
            }

            const sum = sums[document] as number;
            if (sum === 0) {
                found[count++] = document;
            }

            sums[document] = sum + (frequencies[i] as number);
        }

        this.#count = count;
    }

    /** Adds the frequency in one matching document. */
    addOne(document: number, frequency: number): void {

        const sum = this.#sums[document] as number;
        if (sum === 0) {
            this.#found[this.#count++] = document;
        }

        this.#sums[document] = sum + frequency;
    }

    /** Returns the documents in the order in which they were added, without duplicates; valid until the next accumulator. */
    take(): PostingList {

        const documents = this.#found.subarray(0, this.#count);
        const frequencies = this.#buffers.frequencies(this.#count);
        const sums = this.#sums;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            frequencies[i] = sums[document] as number;
            sums[document] = 0;
        }

        return { documents, frequencies };
    }
}
