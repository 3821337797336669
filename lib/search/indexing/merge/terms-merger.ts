/**
 * Merges the term dictionaries of several segments.
 */

import { ByteWriter, compareBytes } from '../../segment/byte-buffers.js';
import { DELETED } from './merge-input.js';
import type { Part } from './merge-input.js';
import { readVarint } from '../../segment/section-reader.js';
import type { TermKind } from '../../segment/format.js';
import type { DictionaryWriter } from '../../segment/segment-writer.js';
import { MergeHeap } from './merge-heap.js';
import type { TermDictionary } from '../../segment/term-dictionary.js';

/** Writes the merged term dictionary of a space. */
export function mergeDictionary(parts: readonly Part[], name: TermKind, writer: DictionaryWriter): void {

    const queue = new MergeHeap(parts.map((part) => new TermCursor(part, part.segment.dictionary(name))),
        (a, b) => compareBytes(a.dictionary.termBytes(a.term), b.dictionary.termBytes(b.term)));
    const merger = new EntryMerger(writer);
    for (let same = queue.takeEqual(); same.length > 0; same = queue.takeEqual()) {
        merger.merge(same);
        for (const cursor of same) {
            cursor.term += 1;
            if (!cursor.isDone) {
                queue.add(cursor);
            }
        }
    }

    writer.finish();
}

/** Cursor over the terms of a source. */
class TermCursor {

    readonly part: Part;
    readonly dictionary: TermDictionary;
    term = 0;

    constructor(part: Part, dictionary: TermDictionary) {

        this.part = part;
        this.dictionary = dictionary;
    }

    get isDone(): boolean {

        return this.term >= this.dictionary.termCount;
    }
}

/** State of the merged postings of one field. */
interface EntryPostings {
    count: number;
    lastDocument: number;
    /** The only document so far, if the term occurs once in it. */
    single: number | null;
}

/** Writes the merged entries of terms. */
class EntryMerger {

    readonly #writer: DictionaryWriter;
    readonly #postings = new ByteWriter(1024);
    readonly #positions = new ByteWriter(1024);
    #documents = new Uint32Array(1024);
    #frequencies = new Uint32Array(1024);

    constructor(writer: DictionaryWriter) {

        this.#writer = writer;
    }

    /** Merges one term; the cursors are at the same term, in the order of the sources. */
    merge(cursors: readonly TermCursor[]): void {

        const found: { field: number; entry: number; cursor: TermCursor }[] = [];
        for (const cursor of cursors) {
            const end = cursor.dictionary.firstEntry(cursor.term + 1);
            for (let entry = cursor.dictionary.firstEntry(cursor.term); entry < end; ++entry) {
                found.push({ field: cursor.part.fields[cursor.dictionary.fieldOf(entry)] ?? 0, entry, cursor });
            }
        }

        // The sort is stable: within a field the sources stay in order.
        found.sort((a, b) => a.field - b.field);
        let isStarted = false;
        for (let i = 0; i < found.length;) {
            const field = found[i]?.field ?? 0;
            const merged: EntryPostings = { count: 0, lastDocument: 0, single: null };
            this.#postings.clear();
            this.#positions.clear();
            for (; found[i]?.field === field; ++i) {
                const { entry, cursor } = found[i] as typeof found[number];
                this.#append(entry, cursor, merged);
            }

            if (merged.count === 0) {
                continue;
            }

            if (!isStarted) {
                isStarted = true;
                const [first] = cursors;
                this.#writer.term(first?.dictionary.termBytes(first.term) ?? new Uint8Array(0));
            }

            if (merged.count === 1 && merged.single !== null) {
                this.#writer.single(field, merged.single, this.#positions.view());
            }
            else {
                this.#writer.entry(field, merged.count, this.#postings.view(), this.#positions.view());
            }
        }
    }

    #append(entry: number, { dictionary, part }: TermCursor, merged: EntryPostings): void {

        const count = dictionary.postings.count(entry);
        if (part.isWhole && count > 1) {
            this.#copy(entry, { dictionary, part, count }, merged);
            return;
        }

        this.#ensureCapacity(count);
        dictionary.postings.read(entry, this.#documents, this.#frequencies);
        const positions = dictionary.positions(entry);
        let at = 0;
        for (let i = 0; i < count; ++i) {
            const document = part.map[this.#documents[i] as number] as number;
            const frequency = this.#frequencies[i] as number;
            const end = dictionary.hasPositions ? skipNumbers(positions, at, frequency) : 0;
            if (document !== DELETED) {
                this.#postings.varint((document - merged.lastDocument) * 2 + Number(frequency === 1));
                if (frequency !== 1) {
                    this.#postings.varint(frequency);
                }

                merged.single = merged.count === 0 && frequency === 1 ? document : null;
                merged.lastDocument = document;
                ++merged.count;
                this.#positions.append(positions.subarray(at, end));
            }

            at = end;
        }
    }

    /** Copies postings of a source without deleted documents: only the first delta changes. */
    #copy(entry: number, { dictionary, part, count }: { dictionary: TermDictionary; part: Part; count: number }, merged: EntryPostings): void {

        const postings = dictionary.postings.bytesOf(entry) ?? NO_BYTES;
        const first = readVarint(postings, 0);
        this.#postings.varint(first.value + (part.base - merged.lastDocument) * 2);
        this.#postings.append(postings.subarray(first.next));
        this.#positions.append(dictionary.positions(entry));
        this.#ensureCapacity(count);
        dictionary.postings.read(entry, this.#documents, this.#frequencies);
        merged.lastDocument = part.base + (this.#documents[count - 1] as number);
        merged.count += count;
        merged.single = null;
    }

    #ensureCapacity(count: number): void {

        if (count > this.#documents.length) {
            this.#documents = new Uint32Array(count * 2);
            this.#frequencies = new Uint32Array(count * 2);
        }
    }
}

const NO_BYTES = new Uint8Array(0);

/** Returns the offset after the next `count` numbers. */
function skipNumbers(bytes: Uint8Array, start: number, count: number): number {

    let at = start;
    for (let left = count; left > 0; --left) {
        while ((bytes[at++] as number) > 127) {
            // The last byte of a varint is below 128.
        }
    }

    return at;
}
