/**
 * Reading the terms of one space of a segment, their entries, postings and positions.
 */

import { compareBytes, decodeText, encodeText } from './bytes.js';
import { SINGLE } from './segment-layout.js';
import type { Sections, Space } from './segment-layout.js';
import { lowerBound, readVarint, sectionOf, uint32 } from './sections.js';

/** The terms of one space. Terms and entries are numbered from 0. */
export class TermSpace {

    readonly termCount: number;
    readonly terms: Uint8Array;
    readonly termAt: Uint32Array;
    readonly #termEntry: Uint32Array;
    readonly #entryField: Uint16Array | Uint32Array;
    readonly #entryPost: Uint32Array;
    readonly #entryPos: Uint32Array;
    readonly #post: Uint8Array;
    /** Positions of all entries; empty but for texts. */
    readonly positions: Uint8Array;
    readonly #documents: number;

    constructor(sections: Sections, space: Space, fieldCount: number, documents: number) {

        this.terms = sectionOf(sections, `${space}.terms`);
        this.termAt = uint32(sections, `${space}.termAt`);
        this.termCount = this.termAt.length - 1;
        this.#termEntry = uint32(sections, `${space}.termEntry`);
        const fields = sectionOf(sections, `${space}.entryField`);
        this.#entryField = fieldCount > 0xffff ? uint32(sections, `${space}.entryField`) :
            new Uint16Array(fields.buffer, fields.byteOffset, fields.length / 2);
        this.#entryPost = uint32(sections, `${space}.entryPost`);
        this.#post = sectionOf(sections, `${space}.post`);
        const hasPositions = space === 'text' || space === 'number';
        this.#entryPos = hasPositions ? uint32(sections, `${space}.entryPos`) : new Uint32Array(0);
        this.positions = hasPositions ? sectionOf(sections, `${space}.pos`) : new Uint8Array(0);
        this.#documents = documents;
    }

    /** The number of a term, -1 when it does not occur. */
    find(term: string): number {

        const wanted = encodeText(term);
        const found = this.lowerBound(wanted);
        return found < this.termCount && compareBytes(this.termBytes(found), wanted) === 0 ? found : -1;
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

        return this.#termEntry[term] ?? 0;
    }

    fieldOf(entry: number): number {

        return this.#entryField[entry] ?? 0;
    }

    /** The entry of a term in a field, -1 when it does not occur there. */
    entry(term: number, field: number): number {

        const end = this.firstEntry(term + 1);
        for (let entry = this.firstEntry(term); entry < end; ++entry) {
            if (this.#entryField[entry] === field) {
                return entry;
            }
        }

        return -1;
    }

    /** Number of documents of an entry. */
    count(entry: number): number {

        const at = this.#entryPost[entry] ?? 0;
        return (at & SINGLE) !== 0 ? 1 : readVarint(this.#post, at).value;
    }

    /** Where the positions of an entry begin. */
    positionsAt(entry: number): number {

        return this.#entryPos[entry] ?? 0;
    }

    /**
     * Where the bytes of an entry's postings (after their number) begin; the document with {@link SINGLE} set, when there are none.
     */
    postingsAt(entry: number): number {

        const at = this.#entryPost[entry] ?? 0;
        return (at & SINGLE) !== 0 ? at : readVarint(this.#post, at).next;
    }

    /** Where the postings of the entries after this one begin. */
    postingsEnd(entry: number): number {

        for (let next = entry + 1; next < this.#entryPost.length; ++next) {
            const at = this.#entryPost[next] ?? 0;
            if ((at & SINGLE) === 0) {
                return at;
            }
        }

        return this.#post.length;
    }

    get postings(): Uint8Array {

        return this.#post;
    }

    get entryCount(): number {

        return this.#entryPost.length;
    }

    /** Where the positions of the entries after this one begin. */
    positionsEnd(entry: number): number {

        return this.#entryPos[entry + 1] ?? this.positions.length;
    }

    /**
     * Reads the documents of an entry, and how often the term occurs in each, into lists long enough; returns how many.
     */
    read(entry: number, documents: Uint32Array, frequencies: Uint32Array | null): number {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            documents[0] = start & ~SINGLE;
            if (frequencies) {
                frequencies[0] = 1;
            }

            return 1;
        }

        const bytes = this.#post;
        const header = readVarint(bytes, start);
        const count = Math.min(header.value, this.#documents);
        let at = header.next;
        let document = 0;
        for (let i = 0; i < count; ++i) {
            let byte = bytes[at++] as number;
            let value = byte & 127;
            for (let shift = 7; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value += (byte & 127) * 2 ** shift;
            }

            document += value >>> 1;
            documents[i] = document;
            let frequency = 1;
            if ((value & 1) === 0) {
                byte = bytes[at++] as number;
                frequency = byte & 127;
                for (let shift = 7; byte > 127; shift += 7) {
                    byte = bytes[at++] as number;
                    frequency += (byte & 127) * 2 ** shift;
                }
            }

            if (frequencies) {
                frequencies[i] = frequency;
            }
        }

        return count;
    }
}
