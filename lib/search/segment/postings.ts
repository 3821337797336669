/**
 * Posting lists of the entries of a term dictionary: documents, and the frequency of the term in each.
 */

import type { Bits } from '../docset/bit-set.js';
import { addPostings, listPostings, PostingsEndIndex } from './postings-decoder.js';
import { SINGLE } from './format.js';
import { readVarint } from './section-reader.js';
import type { ByteReader } from './section-reader.js';

/** Tables of postings: plain data that threads can share. */
export interface PostingTables {
    /** Start offset of the postings of each entry, or its only document with {@link SINGLE} set. */
    readonly entryPost: Uint32Array;
    /** Bytes of all postings. */
    readonly length: number;
    /** Number of documents of the segment. */
    readonly documents: number;
}

export class Postings {

    readonly tables: PostingTables;
    readonly #entryPost: Uint32Array;
    readonly #documents: number;
    readonly #post: ByteReader;
    #endIndex: PostingsEndIndex | null = null;

    /**
     * @param post reads the postings
     */
    constructor(tables: PostingTables, post: ByteReader) {

        this.tables = tables;
        this.#entryPost = tables.entryPost;
        this.#documents = tables.documents;
        this.#post = post;
    }

    /** Memory used for looking up postings, in bytes. */
    get bytes(): number {

        return this.#entryPost.byteLength + PostingsEndIndex.bytesFor(this.#entryPost.length);
    }

    /** Returns the number of documents of an entry (document frequency). */
    count(entry: number): number {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            return 1;
        }

        const there = this.#post.offsetOf(start, HEADER_BYTES);
        const at = there === -1 ? this.#post.open(start, start + HEADER_BYTES) : there;
        return Math.min(readVarint(this.#post.bytes, at).value, this.#documents);
    }

    /** Returns the encoded postings of an entry, without their number; null for an entry with {@link SINGLE}, which has none. */
    bytesOf(entry: number): Uint8Array | null {

        const start = this.#entryPost[entry] ?? 0;
        if ((start & SINGLE) !== 0) {
            return null;
        }

        const end = this.#endOf(entry);
        const at = this.#post.open(start, end);
        return this.#post.bytes.subarray(readVarint(this.#post.bytes, at).next, at + end - start);
    }

    /** Returns a range of all postings, cut off at their end. */
    slice(start: number, end: number): Uint8Array {

        const last = Math.min(end, this.tables.length);
        const at = this.#post.open(start, last);
        return this.#post.bytes.subarray(at, at + last - start);
    }

    /** Adds the documents of an entry to a bit set. With more than `most` documents it adds none and returns false. */
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

    /** Writes the documents of an entry into a list, ascending, from an index on; none when they do not fit. Returns their number. */
    list(entry: number, documents: Uint32Array, offset: number): number {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            documents[offset] = start & ~SINGLE;
            return 1;
        }

        const count = this.count(entry);
        if (offset + count <= documents.length) {
            const at = this.#openPostings(start, entry, count);
            listPostings(documents, offset, { count, bytes: this.#post.bytes, start: at });
        }

        return count;
    }

    /** Opens the postings of an entry; returns their offset in the open bytes, after their number. */
    #openPostings(start: number, entry: number, count: number): number {

        // Finding the end takes a search, and mostly the bytes up to an upper bound of it are open anyway.
        const there = this.#post.offsetOf(start, HEADER_BYTES + count * POSTING_BYTES);
        const at = there === -1 ? this.#post.open(start, this.#endOf(entry)) : there;
        return readVarint(this.#post.bytes, at).next;
    }

    /** Returns the end offset of the postings of an entry. */
    #endOf(entry: number): number {

        this.#endIndex ??= new PostingsEndIndex(this.#entryPost, this.tables.length);
        return this.#endIndex.after(entry);
    }

    /**
     * Decodes the documents of an entry and the frequencies of the term into lists, which must be long enough, from an index on;
     * returns the number of documents.
     */
    read(entry: number, documents: Uint32Array, frequencies: Uint32Array, offset = 0): number {

        const start = this.#entryPost[entry] as number;
        if ((start & SINGLE) !== 0) {
            documents[offset] = start & ~SINGLE;
            frequencies[offset] = 1;
            return 1;
        }

        const count = this.count(entry);
        let at = this.#openPostings(start, entry, count);
        const { bytes } = this.#post;
        let document = 0;
        for (let i = offset; i < offset + count; ++i) {
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

/** Maximum number of bytes of the count, and of a document with its frequency. */
const HEADER_BYTES = 5;
const POSTING_BYTES = 10;
