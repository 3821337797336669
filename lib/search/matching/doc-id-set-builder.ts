/**
 * Gathers documents of a segment from several places into one set.
 */

import { emptyBits, orBits, setBit, setBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { few, listOf, many, mostFew } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { addEntry, entrySet } from '../segment/postings-cache.js';
import type { Segment } from '../segment/segment-reader.js';
import type { TermDictionary } from '../segment/term-dictionary.js';

/** Fewer documents than this are sorted by comparing. */
const SORTED_BY_COMPARING = 512;

const MIN_CAPACITY = 16;

export class DocIdSetBuilder {

    readonly #segment: Segment;
    readonly #most: number;
    /** The first ones of these, in any order, maybe more than once. */
    #list = new Uint32Array(0);
    #count = 0;
    #isSorted = true;
    /** A set that is all there is. */
    #only: DocumentSet | null = null;
    /** Takes the place of the list when there are too many. */
    #bits: Bits | null = null;

    constructor(segment: Segment) {

        this.#segment = segment;
        this.#most = mostFew(segment.documents);
    }

    add(document: number): void {

        if (this.#hasRoom(1)) {
            this.#isSorted &&= this.#count === 0 || (this.#list[this.#count - 1] as number) < document;
            this.#list[this.#count++] = document;
            return;
        }

        setBit(this.bits(), document);
    }

    /** Adds the documents of an entry. */
    addEntry(space: TermDictionary, entry: number): void {

        if (this.#hasRoom(0)) {
            const count = space.postings.list(entry, this.#list, this.#count);
            const isListed = this.#count + count <= this.#list.length;
            if (isListed || this.#hasRoom(count) && space.postings.list(entry, this.#list, this.#count) === count) {
                this.#appended(count);
                return;
            }
        }

        if (this.#isNothing()) {
            this.#only = entrySet(this.#segment, space, entry);
        }
        else {
            addEntry(this.#segment, space, { entry, bits: this.bits() });
        }
    }

    /** The set is not to be used any more, unless it is kept. */
    addSet(set: DocumentSet): void {

        if (this.#isNothing()) {
            this.#only = set;
            return;
        }

        if (set.kind === 'few' && this.#hasRoom(set.documents.length)) {
            this.#list.set(set.documents, this.#count);
            this.#appended(set.documents.length);
            return;
        }

        addToBits(this.bits(), set);
    }

    /** All documents as bits, for whoever adds many. */
    bits(): Bits {

        if (!this.#bits) {
            const only = this.#only;
            if (only?.kind === 'many' && !only.kept) {
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

    /** Everything that was added; nothing can be added any more. */
    take(): DocumentSet {

        if (this.#only) {
            return this.#only;
        }

        if (this.#bits) {
            return many(this.#bits);
        }

        const list = this.#list.subarray(0, this.#count);
        return few(this.#isSorted ? list : this.#sorted(list));
    }

    #isNothing(): boolean {

        return this.#count === 0 && !this.#bits && !this.#only;
    }

    /** Makes room in the list; false when the list is not, or must not be, used. */
    #hasRoom(count: number): boolean {

        if (this.#only?.kind === 'few') {
            this.#list = this.#only.documents.slice();
            this.#count = this.#list.length;
            this.#only = null;
        }

        const needed = this.#count + count;
        if (this.#bits || this.#only || needed > this.#most) {
            return false;
        }

        if (needed > this.#list.length) {
            const room = new Uint32Array(this.#count === 0 ? needed : Math.min(Math.max(needed * 2, MIN_CAPACITY), this.#most));
            room.set(this.#list);
            this.#list = room;
        }

        return true;
    }

    /** So many documents in order were put at the end of the list. */
    #appended(count: number): void {

        const end = this.#count;
        this.#isSorted &&= end === 0 || count === 0 || (this.#list[end - 1] as number) < (this.#list[end] as number);
        this.#count += count;
    }

    /** The documents in order, each once. */
    #sorted(list: Uint32Array): Uint32Array {

        if (list.length >= SORTED_BY_COMPARING) {
            const bits = emptyBits(this.#segment.documents);
            setBits(bits, list, list.length);
            return listOf(many(bits));
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
