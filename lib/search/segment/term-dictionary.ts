/**
 * Reads the terms of one space of a segment, with their entries and positions.
 */

import { decodeText, encodeCached } from './byte-buffers.js';
import { Postings } from './postings.js';
import type { PostingTables } from './postings.js';
import { POSITIONAL_KINDS } from './format.js';
import type { TermKind } from './format.js';
import type { SortedTerms } from '../analysis/term-bytes.js';
import { bytesOf, isText, lowerBound, uint32 } from './section-reader.js';
import type { ByteReader, SectionSource } from './section-reader.js';

/** Terms of one field. */
export interface FieldTerms extends SortedTerms {
    /** Entry of each term. */
    readonly entries: Uint32Array;
}

/** Tables for looking up terms: plain data that threads can share. */
export interface DictionaryTables {
    readonly name: TermKind;
    /** UTF-8 of all terms, concatenated; offset of each, and the end of the last. */
    readonly terms: Uint8Array;
    readonly termAt: Uint32Array;
    /** Index of the first entry of each term, and the end of the last. */
    readonly termEntry: Uint32Array;
    readonly entryField: Uint16Array | Uint32Array;
    readonly postings: PostingTables;
}

/** Readers of sections with random access. */
export interface DictionaryReaders {
    readonly post: ByteReader;
    readonly positions: { readonly entryPos: ByteReader; readonly pos: ByteReader; /** Bytes. */ readonly length: number } | null;
}

/** Term dictionary of one space. Terms and entries are numbered from 0. */
export class TermDictionary {

    readonly tables: DictionaryTables;
    readonly name: TermKind;
    readonly termCount: number;
    readonly terms: Uint8Array;
    readonly termAt: Uint32Array;
    readonly termEntry: Uint32Array;
    readonly entryField: Uint16Array | Uint32Array;
    readonly postings: Postings;
    readonly hasPositions: boolean;
    /** Offset of the positions of each entry; needed for phrases only. */
    readonly #entryPos: ByteReader | null;
    readonly #pos: ByteReader | null;
    readonly #posLength: number;

    static read(source: SectionSource, kind: TermKind, fieldCount: number, documents: number): TermDictionary {

        if (!source.has(`${kind}.terms`)) {
            return empty(kind, documents);
        }

        const fields = bytesOf(source, `${kind}.entryField`);
        const hasPositions = (POSITIONAL_KINDS as readonly TermKind[]).includes(kind);
        return new TermDictionary({
            name: kind,
            terms: bytesOf(source, `${kind}.terms`),
            termAt: uint32(source, `${kind}.termAt`),
            termEntry: uint32(source, `${kind}.termEntry`),
            entryField: fieldCount > 0xffff ? uint32(source, `${kind}.entryField`) :
                new Uint16Array(fields.buffer, fields.byteOffset, fields.length / 2),
            postings: { entryPost: uint32(source, `${kind}.entryPost`), length: source.size(`${kind}.post`), documents }
        }, {
            post: source.reader(`${kind}.post`),
            positions: hasPositions ?
                { entryPos: source.reader(`${kind}.entryPos`), pos: source.reader(`${kind}.pos`), length: source.size(`${kind}.pos`) } : null
        });
    }

    constructor(tables: DictionaryTables, { post, positions }: DictionaryReaders) {

        this.tables = tables;
        this.name = tables.name;
        this.terms = tables.terms;
        this.termAt = tables.termAt;
        this.termCount = this.termAt.length - 1;
        this.termEntry = tables.termEntry;
        this.entryField = tables.entryField;
        this.postings = new Postings(tables.postings, post);
        this.hasPositions = positions !== null;
        this.#entryPos = positions && positions.entryPos;
        this.#pos = positions && positions.pos;
        this.#posLength = positions ? positions.length : 0;
    }

    /** Memory used for looking up terms, in bytes. */
    get bytes(): number {

        return this.terms.length + this.termAt.byteLength + this.termEntry.byteLength + this.entryField.byteLength +
            this.postings.bytes;
    }

    /** Returns the number of a term, -1 when it does not occur. */
    find(term: string): number {

        const encoded = encodeCached(term);
        const found = this.lowerBound(encoded);
        return found < this.termCount && isText(this.terms, this.termAt[found] ?? 0, this.termAt[found + 1] ?? 0, encoded) ? found : -1;
    }

    /** Returns the first term that is not less than the bytes; {@link termCount} when there is none. */
    lowerBound(bytes: Uint8Array): number {

        return lowerBound(this.terms, this.termAt, this.termCount, bytes);
    }

    termBytes(term: number): Uint8Array {

        return this.terms.subarray(this.termAt[term] ?? 0, this.termAt[term + 1] ?? 0);
    }

    termText(term: number): string {

        return decodeText(this.terms, this.termAt[term] ?? 0, this.termAt[term + 1] ?? 0);
    }

    /** Returns the first entry of a term; its entries end at the first one of the next term. */
    firstEntry(term: number): number {

        return this.termEntry[term] ?? 0;
    }

    fieldOf(entry: number): number {

        return this.entryField[entry] ?? 0;
    }

    /** Returns the entry of a term in a field, -1 when it does not occur there. */
    entry(term: number, field: number): number {

        const end = this.firstEntry(term + 1);
        for (let entry = this.firstEntry(term); entry < end; ++entry) {
            if (this.entryField[entry] === field) {
                return entry;
            }
        }

        return -1;
    }

    /** Returns all terms of a field; scans all entries. */
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

    /** Returns the encoded positions of an entry. */
    positions(entry: number): Uint8Array {

        if (!this.#pos || !this.#entryPos) {
            return NO_BYTES;
        }

        const isLast = entry + 1 >= this.entryField.length;
        const offset = this.#entryPos.open(entry * 4, entry * 4 + (isLast ? 4 : 8));
        const view = new DataView(this.#entryPos.bytes.buffer, this.#entryPos.bytes.byteOffset + offset);
        const [start, end] = [view.getUint32(0, true), isLast ? this.#posLength : view.getUint32(4, true)];
        const at = this.#pos.open(start, end);
        return this.#pos.bytes.subarray(at, at + end - start);
    }
}

const NO_BYTES = new Uint8Array(0);

/** Returns a term dictionary without terms. */
function empty(name: TermKind, documents: number): TermDictionary {

    const zero = new Uint32Array(1);
    const entryPost = new Uint32Array(0);
    return new TermDictionary({
        name, terms: NO_BYTES, termAt: zero, termEntry: zero, entryField: new Uint16Array(0), postings: { entryPost, length: 0, documents }
    }, { post: { bytes: NO_BYTES, open: () => 0, offsetOf: () => 0 }, positions: null });
}

/** Returns the entries of a term in some fields; null stands for all fields. */
export function entriesOf(dictionary: TermDictionary, term: number, fields: readonly number[] | null): number[] {

    if (fields) {
        return fields.map((field) => dictionary.entry(term, field)).filter((entry) => entry !== -1);
    }

    const [first, end] = [dictionary.firstEntry(term), dictionary.firstEntry(term + 1)];
    return Array.from({ length: end - first }, (_, i) => first + i);
}

/** Returns the fields in which all of the terms occur. */
export function commonFields(dictionary: TermDictionary, terms: readonly number[], fields: readonly number[] | null): number[] {

    const [first = 0, ...rest] = terms;
    const candidates = fields ?? entriesOf(dictionary, first, null).map((entry) => dictionary.fieldOf(entry));
    return candidates.filter((field) => dictionary.entry(first, field) !== -1 && rest.every((term) => dictionary.entry(term, field) !== -1));
}
