/**
 * Postings buffer (in-memory inversion) for one term dictionary of a segment that is being built. Occurrences are logged as numbers
 * and sorted once at the end: a list for each term would be a very large number of small objects, which the garbage collector would
 * copy several times before the segment is finished.
 */

import { ByteWriter, compareUnicode, encodeText, NumberWriter } from '../segment/byte-buffers.js';
import type { DictionaryWriter } from '../segment/segment-writer.js';

/** Stands for a missing position, of terms that are whole values. */
export const NO_POSITION = 0xffff_ffff;

/** A term in one field. */
interface Entry {
    readonly term: string;
    readonly field: string;
}

/** Occurrences of one entry, ordered by document and position: from `start` to before `end` in `order`. */
interface Run {
    readonly order: Uint32Array;
    readonly start: number;
    readonly end: number;
}

export class PostingsBuffer {

    /** Number of each entry, by field and term. */
    readonly #numbers = new Map<string, Map<string, number>>();
    readonly #entries: Entry[] = [];
    /** Parallel arrays, with one element for each occurrence. */
    readonly #occurrences = { entry: new NumberWriter('uint32'), document: new NumberWriter('uint32'), position: new NumberWriter('uint32') };

    /** Adds an occurrence. Documents must be ascending, and so must the positions of a term in a document. */
    add(field: string, term: string, document: number, position: number): void {

        const { entry, document: documents, position: positions } = this.#occurrences;
        entry.push(this.#numberOf(field, term));
        documents.push(document);
        positions.push(position);
    }

    get fields(): Iterable<string> {

        return this.#numbers.keys();
    }

    /**
     * Writes the term dictionary.
     *
     * @param numberOf returns the number of a field
     */
    write(writer: DictionaryWriter, numberOf: (field: string) => number): void {

        const { starts, order } = this.#sorted();
        const fields = new Map([...this.#numbers.keys()].map((name) => [name, numberOf(name)]));
        const entries = this.#entries.map(({ term, field }, number) => ({ term, field: fields.get(field) ?? 0, number }));
        const [postings, positions] = [new ByteWriter(), new ByteWriter()];
        let lastTerm: string | null = null;
        for (const { term, field, number } of entries.sort((a, b) => compareUnicode(a.term, b.term) || a.field - b.field)) {
            if (term !== lastTerm) {
                writer.term(encodeText(term));
                lastTerm = term;
            }

            postings.clear();
            positions.clear();
            const run = { order, start: starts[number] ?? 0, end: starts[number + 1] ?? 0 };
            const { documents, first, isOnce } = this.#writeRun(run, postings, positions);
            if (documents === 1 && isOnce) {
                writer.single(field, first, positions.view());
            }
            else {
                writer.entry(field, documents, postings.view(), positions.view());
            }
        }

        writer.finish();
    }

    #numberOf(field: string, term: string): number {

        let terms = this.#numbers.get(field);
        if (!terms) {
            terms = new Map();
            this.#numbers.set(field, terms);
        }

        let number = terms.get(term);
        if (number === undefined) {
            number = this.#entries.push({ term, field }) - 1;
            terms.set(term, number);
        }

        return number;
    }

    /** Sorts occurrences by entry (counting sort, stable). */
    #sorted(): { readonly starts: Uint32Array; readonly order: Uint32Array } {

        const entries = this.#occurrences.entry.view();
        const starts = new Uint32Array(this.#entries.length + 1);
        for (const entry of entries) {
            starts[entry + 1] = (starts[entry + 1] as number) + 1;
        }

        for (let i = 1; i < starts.length; ++i) {
            starts[i] = (starts[i] as number) + (starts[i - 1] as number);
        }

        const next = starts.slice();
        const order = new Uint32Array(entries.length);
        entries.forEach((entry, occurrence) => {

            const index = next[entry] as number;
            order[index] = occurrence;
            next[entry] = index + 1;
        });
        return { starts, order };
    }

    #writeRun({ order, start, end }: Run, postings: ByteWriter, positions: ByteWriter): { documents: number; first: number; isOnce: boolean } {

        const [documentOf, positionOf] = [this.#occurrences.document.view(), this.#occurrences.position.view()];
        const first = documentOf[order[start] as number] as number;
        let [documents, last, isOnce] = [0, 0, true];
        for (let i = start; i < end; ++documents) {
            const document = documentOf[order[i] as number] as number;
            const begin = i;
            let [frequency, lastPosition] = [0, 0];
            for (; i < end && documentOf[order[i] as number] === document; ++i) {
                const position = positionOf[order[i] as number] as number;
                if (position !== NO_POSITION) {
                    positions.varint(position - lastPosition >>> 0);
                    lastPosition = position;
                    frequency = i + 1 - begin;
                }
            }

            isOnce = frequency <= 1;
            postings.varint((document - last) * 2 + Number(isOnce));
            if (!isOnce) {
                postings.varint(frequency);
            }

            last = document;
        }

        return { documents, first, isOnce };
    }
}
