/**
 * Reading the terms of one space of a segment, their entries, postings and positions.
 */

import { decodeText, encodeWanted } from './bytes.js';
import type { Bits } from './bits.js';
import { addPostings, listPostings } from './posting-bytes.js';
import { PostingEnds } from './posting-ends.js';
import { SINGLE } from './segment-layout.js';
import type { Space } from './segment-layout.js';
import type { SortedTerms } from './sorted-terms.js';
import { bytesOf, isText, lowerBound, readVarint, uint32 } from './sections.js';
import type { ByteReader, SectionSource } from './sections.js';

/** The terms that one field has. */
export interface FieldTerms extends SortedTerms {
    /** The entry of each. */
    readonly entries: Uint32Array;
}

/** The terms of one space. Terms and entries are numbered from 0. */
export class TermSpace {

    readonly name: Space;
    readonly termCount: number;
    readonly terms: Uint8Array;
    readonly termAt: Uint32Array;
    /** Where the entries of each term begin; one more for the end of the last. */
    readonly termEntry: Uint32Array;
    readonly entryField: Uint16Array | Uint32Array;
    readonly hasPositions: boolean;
    readonly #entryPost: Uint32Array;
    /** Where the positions of each entry begin; read here and there, for phrases only. */
    readonly #entryPos: ByteReader | null;
    readonly #post: ByteReader;
    readonly #pos: ByteReader | null;
    readonly #posLength: number;
    readonly #documents: number;
    readonly #ends: PostingEnds;

    constructor(source: SectionSource, space: Space, fieldCount: number, documents: number) {

        this.name = space;
        this.terms = bytesOf(source, `${space}.terms`);
        this.termAt = uint32(source, `${space}.termAt`);
        this.termCount = this.termAt.length - 1;
        this.termEntry = uint32(source, `${space}.termEntry`);
        const fields = bytesOf(source, `${space}.entryField`);
        this.entryField = fieldCount > 0xffff ? uint32(source, `${space}.entryField`) :
            new Uint16Array(fields.buffer, fields.byteOffset, fields.length / 2);
        this.#entryPost = uint32(source, `${space}.entryPost`);
        this.#post = source.reader(`${space}.post`);
        this.#ends = new PostingEnds(this.#entryPost, source.size(`${space}.post`));
        this.hasPositions = space === 'text' || space === 'number';
        this.#entryPos = this.hasPositions ? source.reader(`${space}.entryPos`) : null;
        this.#pos = this.hasPositions ? source.reader(`${space}.pos`) : null;
        this.#posLength = this.hasPositions ? source.size(`${space}.pos`) : 0;
        this.#documents = documents;
    }

    /** Bytes that looking up terms takes. */
    get bytes(): number {

        return this.terms.length + this.termAt.byteLength + this.termEntry.byteLength + this.entryField.byteLength +
            this.#entryPost.byteLength + this.#ends.bytes;
    }

    /** The number of a term, -1 when it does not occur. */
    find(term: string): number {

        const wanted = encodeWanted(term);
        const found = this.lowerBound(wanted);
        return found < this.termCount && isText(this.terms, this.termAt[found] ?? 0, this.termAt[found + 1] ?? 0, wanted) ? found : -1;
    }

    /** The first term that is not before these bytes; the number of terms when there is none. */
    lowerBound(bytes: Uint8Array): number {

        return lowerBound(this.terms, this.termAt, this.termCount, bytes);
    }

    termBytes(term: number): Uint8Array {

        return this.terms.subarray(this.termAt[term] ?? 0, this.termAt[term + 1] ?? 0);
    }

    termText(term: number): string {

        return decodeText(this.terms, this.termAt[term] ?? 0, this.termAt[term + 1] ?? 0);
    }

    /** Entries of a term are from here on, up to those of the next one. */
    firstEntry(term: number): number {

        return this.termEntry[term] ?? 0;
    }

    fieldOf(entry: number): number {

        return this.entryField[entry] ?? 0;
    }

    /** The entry of a term in a field, -1 when it does not occur there. */
    entry(term: number, field: number): number {

        const end = this.firstEntry(term + 1);
        for (let entry = this.firstEntry(term); entry < end; ++entry) {
            if (this.entryField[entry] === field) {
                return entry;
            }
        }

        return -1;
    }

    /** All terms of a field; goes through all entries. */
    ofField(field: number): FieldTerms {

        const { entryField, termEntry, termAt, termCount } = this;
        let count = 0;
        for (let entry = 0; entry < entryField.length; ++entry) {
            count += Number(entryField[entry] === field);
        }

        const [starts, ends, entries] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
        let next = 0;
        for (let term = 0; term < termCount && next < count; ++term) {
            const end = termEntry[term + 1] as number;
            for (let entry = termEntry[term] as number; entry < end; ++entry) {
                if (entryField[entry] === field) {
                    starts[next] = termAt[term] as number;
                    ends[next] = termAt[term + 1] as number;
                    entries[next++] = entry;
                }
            }
        }

        return { bytes: this.terms, starts, ends, count, entries };
    }

    /** All terms. */
    get all(): SortedTerms {

        return { bytes: this.terms, starts: this.termAt, ends: this.termAt.subarray(1), count: this.termCount };
    }

    /** Number of documents of an entry. */
    count(entry: number): number {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            return 1;
        }

        const there = this.#post.place(start, HEADER_BYTES);
        const at = there === -1 ? this.#post.open(start, start + HEADER_BYTES) : there;
        return Math.min(readVarint(this.#post.bytes, at).value, this.#documents);
    }

    /** The bytes of an entry's postings, after their number; null when it has none because its only document is {@link single}. */
    postings(entry: number): Uint8Array | null {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            return null;
        }

        const end = this.#ends.after(entry);
        const at = this.#post.open(start, end);
        return this.#post.bytes.subarray(readVarint(this.#post.bytes, at).next, at + end - start);
    }

    /** The document of an entry that has one only, in which the term occurs once; -1 of others. */
    single(entry: number): number {

        const start = this.#entryPost[entry] ?? 0;
        return (start & SINGLE) === 0 ? -1 : start & ~SINGLE;
    }

    /** The bytes of an entry's positions. */
    positions(entry: number): Uint8Array {

        if (!this.#pos || !this.#entryPos) {
            return NO_BYTES;
        }

        const isLast = entry + 1 >= this.#entryPost.length;
        const place = this.#entryPos.open(entry * 4, entry * 4 + (isLast ? 4 : 8));
        const view = new DataView(this.#entryPos.bytes.buffer, this.#entryPos.bytes.byteOffset + place);
        const [start, end] = [view.getUint32(0, true), isLast ? this.#posLength : view.getUint32(4, true)];
        const at = this.#pos.open(start, end);
        return this.#pos.bytes.subarray(at, at + end - start);
    }

    /** Sets the bits of the documents of an entry; when it has more than `most`, none, and returns false. */
    addTo(bits: Bits, entry: number, most = Infinity): boolean {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            const document = start & ~SINGLE;
            bits[document >>> 5] = (bits[document >>> 5] as number) | 1 << (document & 31);
            return true;
        }

        const count = this.count(entry);
        if (count > most) {
            return false;
        }

        const at = this.#openPostings(start, entry, count);
        addPostings(bits, count, this.#post.bytes, at);
        return true;
    }

    /** Writes the documents of an entry into a list, in order, from a place of it on; none when they have no room. Returns how many there are. */
    list(entry: number, documents: Uint32Array, place: number): number {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            documents[place] = start & ~SINGLE;
            return 1;
        }

        const count = this.count(entry);
        if (place + count <= documents.length) {
            const at = this.#openPostings(start, entry, count);
            listPostings(documents, place, { count, bytes: this.#post.bytes, start: at });
        }

        return count;
    }

    /** Makes the postings of an entry available; returns where they begin after their number. */
    #openPostings(start: number, entry: number, count: number): number {

        // Where they end has to be looked for, and mostly they are there anyway.
        const there = this.#post.place(start, HEADER_BYTES + count * POSTING_BYTES);
        const at = there === -1 ? this.#post.open(start, this.#ends.after(entry)) : there;
        return readVarint(this.#post.bytes, at).next;
    }

    /**
     * Reads the documents of an entry, and how often the term occurs in each, into lists long enough; returns how many.
     */
    read(entry: number, documents: Uint32Array, frequencies: Uint32Array): number {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            documents[0] = start & ~SINGLE;
            frequencies[0] = 1;
            return 1;
        }

        const from = this.#post.open(start, this.#ends.after(entry));
        const { bytes } = this.#post;
        const header = readVarint(bytes, from);
        const count = Math.min(header.value, this.#documents);
        let at = header.next;
        let document = 0;
        for (let i = 0; i < count; ++i) {
            let byte = bytes[at++] as number;
            let value = byte;
            if (byte > 127) {
                value &= 127;
                let shift = 7;
                do {
                    byte = bytes[at++] as number;
                    value |= (byte & 127) << shift;
                    shift += 7;
                }
                while (byte > 127);
            }

            let frequency = 1;
            if ((value & 1) === 0) {
                byte = bytes[at++] as number;
                frequency = byte & 127;
                for (let shift = 7; byte > 127; shift += 7) {
                    byte = bytes[at++] as number;
                    frequency |= (byte & 127) << shift;
                }
            }

            document += value >>> 1;
            documents[i] = document;
            frequencies[i] = frequency;
        }

        return count;
    }
}

const NO_BYTES = new Uint8Array(0);

/** Most bytes of a number, and of a document with its frequency. */
const HEADER_BYTES = 5;
const POSTING_BYTES = 10;
