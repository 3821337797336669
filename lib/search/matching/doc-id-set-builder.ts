/**
 * Builds a set of documents from several sources: a sparse buffer first, a bit set when there are too many documents.
 */

import { emptyBits, orBits, setBit, setBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { sparseSet, listOf, denseSet, maxSparse } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { addEntry, entrySet } from '../segment/postings-cache.js';
import type { Segment } from '../segment/segment-reader.js';
import type { TermDictionary } from '../segment/term-dictionary.js';

/** Number of documents from which sorting goes through a bit set. */
const SORTED_BY_COMPARING = 512;

const MIN_CAPACITY = 16;

export class DocIdSetBuilder {

    readonly #segment: Segment;
    readonly #maxSparse: number;
    /** Buffer: the first {@link #count} elements are valid; unsorted, with duplicates. */
    #list = new Uint32Array(0);
    #count = 0;
    #isSorted = true;
    /** The result so far, while it is a single set. */
    #only: DocumentSet | null = null;
    /** Replaces the buffer when it would exceed the size of a sparse set. */
    #bits: Bits | null = null;

    constructor(segment: Segment) {

        this.#segment = segment;
        this.#maxSparse = maxSparse(segment.documents);
    }

    add(document: number): void {

        if (this.#ensureCapacity(1)) {
            this.#isSorted &&= this.#count === 0 || (this.#list[this.#count - 1] as number) < document;
            this.#list[this.#count++] = document;
            return;
        }

        setBit(this.bits(), document);
    }

    /** Adds the documents of an entry. */
    addEntry(dictionary: TermDictionary, entry: number): void {

        if (this.#ensureCapacity(0)) {
            const count = dictionary.postings.list(entry, this.#list, this.#count);
            const isListed = this.#count + count <= this.#list.length;
            if (isListed || this.#ensureCapacity(count) && dictionary.postings.list(entry, this.#list, this.#count) === count) {
                this.#appended(count);
                return;
            }
        }

        if (this.#isNothing()) {
            this.#only = entrySet(this.#segment, dictionary, entry);
        }
        else {
            addEntry(this.#segment, dictionary, { entry, bits: this.bits() });
        }
    }

    /** Adds a set, which must not be used afterwards unless it is cached. */
    addSet(set: DocumentSet): void {

        if (this.#isNothing()) {
            this.#only = set;
            return;
        }

        if (set.kind === 'few' && this.#ensureCapacity(set.documents.length)) {
            this.#list.set(set.documents, this.#count);
            this.#appended(set.documents.length);
            return;
        }

        addToBits(this.bits(), set);
    }

    /** Returns the documents as bits, for callers that add many. */
    bits(): Bits {

        if (!this.#bits) {
            const only = this.#only;
            if (only?.kind === 'many' && !only.cached) {
                this.#bits = only.bits;
            }
            else {
                this.#bits = emptyBits(this.#segment.documents);
                setBits(this.#bits, this.#list, this.#count);
                if (only) {
                    addToBits(this.#bits, only);
                }
            }

            this.#only = null;
        }

        return this.#bits;
    }

    /** Returns the set; nothing can be added afterwards. */
    build(): DocumentSet {

        if (this.#only) {
            return this.#only;
        }

        if (this.#bits) {
            return denseSet(this.#bits);
        }

        const list = this.#list.subarray(0, this.#count);
        return sparseSet(this.#isSorted ? list : this.#sorted(list));
    }

    #isNothing(): boolean {

        return this.#count === 0 && !this.#bits && !this.#only;
    }

    /** Reserves space in the buffer; returns false when the buffer is not, or must not be, used. */
    #ensureCapacity(count: number): boolean {

        if (this.#only?.kind === 'few') {
            this.#list = this.#only.documents.slice();
            this.#count = this.#list.length;
            this.#only = null;
        }

        const needed = this.#count + count;
        if (this.#bits || this.#only || needed > this.#maxSparse) {
            return false;
        }

        if (needed > this.#list.length) {
            const grown = new Uint32Array(this.#count === 0 ? needed : Math.min(Math.max(needed * 2, MIN_CAPACITY), this.#maxSparse));
            grown.set(this.#list);
            this.#list = grown;
        }

        return true;
    }

    /** Accounts for `count` ascending documents that were written behind the buffered ones. */
    #appended(count: number): void {

        const end = this.#count;
        this.#isSorted &&= end === 0 || count === 0 || (this.#list[end - 1] as number) < (this.#list[end] as number);
        this.#count += count;
    }

    /** Sorts documents and removes duplicates. */
    #sorted(list: Uint32Array): Uint32Array {

        if (list.length >= SORTED_BY_COMPARING) {
            const bits = emptyBits(this.#segment.documents);
            setBits(bits, list, list.length);
            return listOf(denseSet(bits));
        }

        list.sort();
        let count = 0;
        for (const document of list) {
            if (count === 0 || list[count - 1] !== document) {
                list[count++] = document;
            }
        }

        return list.subarray(0, count);
    }
}

function addToBits(bits: Bits, set: DocumentSet): void {

    if (set.kind === 'few') {
        setBits(bits, set.documents, set.documents.length);
    }
    else {
        orBits(bits, set.bits);
    }
}
