/**
 * Posting lists of the entries of a term dictionary: the documents of each, and how often the term occurs in them.
 */

import type { Bits } from '../docset/bit-set.js';
import { addPostings, listPostings, PostingsEndIndex } from './postings-decoder.js';
import { SINGLE } from './format.js';
import { readVarint } from './section-reader.js';
import type { ByteReader } from './section-reader.js';

/** Where postings are: plain data that threads can share. */
export interface PostingTables {
    /** Where the postings of each entry begin, or its only document with {@link SINGLE} set. */
    readonly entryPost: Uint32Array;
    /** Bytes of all postings. */
    readonly length: number;
    /** Documents of the segment. */
    readonly documents: number;
}

export class Postings {

    readonly tables: PostingTables;
    readonly #entryPost: Uint32Array;
    readonly #documents: number;
    readonly #post: ByteReader;
    #ends: PostingsEndIndex | null = null;

    /** @param post reads the postings */
    constructor(tables: PostingTables, post: ByteReader) {

        this.tables = tables;
        this.#entryPost = tables.entryPost;
        this.#documents = tables.documents;
        this.#post = post;
    }

    /** Bytes that looking up postings takes. */
    get bytes(): number {

        return this.#entryPost.byteLength + PostingsEndIndex.bytesFor(this.#entryPost.length);
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

    /** The bytes of an entry's postings, after their number; null when it has none because it has one document, in which the term occurs once. */
    bytesOf(entry: number): Uint8Array | null {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            return null;
        }

        const end = this.#endOf(entry);
        const at = this.#post.open(start, end);
        return this.#post.bytes.subarray(readVarint(this.#post.bytes, at).next, at + end - start);
    }

    /** Some of the bytes of all postings; fewer at the end. */
    piece(start: number, end: number): Uint8Array {

        const last = Math.min(end, this.tables.length);
        const at = this.#post.open(start, last);
        return this.#post.bytes.subarray(at, at + last - start);
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
        const at = there === -1 ? this.#post.open(start, this.#endOf(entry)) : there;
        return readVarint(this.#post.bytes, at).next;
    }

    /** Where the postings of an entry end. */
    #endOf(entry: number): number {

        this.#ends ??= new PostingsEndIndex(this.#entryPost, this.tables.length);
        return this.#ends.after(entry);
    }

    /**
     * Reads the documents of an entry, and how often the term occurs in each, into lists long enough, from a place of them on;
     * returns how many.
     */
    read(entry: number, documents: Uint32Array, frequencies: Uint32Array, place = 0): number {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            documents[place] = start & ~SINGLE;
            frequencies[place] = 1;
            return 1;
        }

        const count = this.count(entry);
        let at = this.#openPostings(start, entry, count);
        const { bytes } = this.#post;
        let document = 0;
        for (let i = place; i < place + count; ++i) {
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

/** Most bytes of a number, and of a document with its frequency. */
const HEADER_BYTES = 5;
const POSTING_BYTES = 10;
