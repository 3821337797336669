/**
 * Finding phrases by the positions of their words. Slop is the number of places by which words may be moved in all: a phrase
 * matches where the words, each shifted back by its place in the phrase, lie within `slop` of each other. Words that occur
 * twice in the phrase need two positions.
 */

import type { Deadline } from './deadline.js';
import type { TermSpace } from './term-space.js';

/** One word of a phrase. */
export interface PhraseWord {
    readonly term: string;
    readonly position: number;
}

/** How often a phrase occurs in a document. */
export type PhraseSink = (document: number, frequency: number) => void;

/** Documents between two looks at the clock. */
const PATIENCE = 1024;

/** Finds a phrase in one field; `entries` has the entry of each word. */
export function findPhrase(
    space: TermSpace, entries: readonly number[], phrase: { readonly words: readonly PhraseWord[]; readonly slop: number },
    { deadline, sink }: { readonly deadline: Deadline; readonly sink: PhraseSink }
): void {

    const cursors = new Map<number, Cursor>();
    for (const entry of entries) {
        if (!cursors.has(entry)) {
            cursors.set(entry, new Cursor(space, entry));
        }
    }

    const all = [...cursors.values()].sort((a, b) => a.count - b.count);
    const words = phrase.words.map(({ position }, i) => ({ offset: position, cursor: cursors.get(entries[i] ?? -1) }));
    const [rarest] = all;
    for (let i = 0; rarest && i < rarest.count; ++i) {
        if (i % PATIENCE === 0) {
            deadline.check();
        }

        const document = rarest.documentAt(i);
        if (all.every((cursor) => cursor.seek(document))) {
            const places = words.map(({ cursor, offset }) => ({ positions: cursor?.positions() ?? [], offset }));
            const frequency = phrase.slop === 0 ? countExact(places) : countSloppy(places, phrase.slop, deadline);
            if (frequency > 0) {
                sink(document, frequency);
            }
        }
    }
}

interface Places {
    /** In ascending order; shared by words with the same term. */
    readonly positions: readonly number[];
    /** Place of the word in the phrase. */
    readonly offset: number;
}

/** How many positions have all the words right after each other. */
function countExact(words: readonly Places[]): number {

    const [first, ...rest] = words;
    let starts = first?.positions.map((position) => position - first.offset) ?? [];
    for (const { positions, offset } of rest) {
        const kept: number[] = [];
        let i = 0;
        for (const start of starts) {
            while (i < positions.length && (positions[i] as number) < start + offset) {
                ++i;
            }

            if (positions[i] === start + offset) {
                kept.push(start);
            }
        }

        starts = kept;
    }

    return starts.length;
}

/** How many places have all the words within `slop`. */
function countSloppy(words: readonly Places[], slop: number, deadline: Deadline): number {

    // Words with the same term, in the order of their places, share positions and must take different ones.
    const groups = new Map<readonly number[], Places[]>();
    for (const word of [...words].sort((a, b) => a.offset - b.offset)) {
        const group = groups.get(word.positions);
        if (group) {
            group.push(word);
        }
        else {
            groups.set(word.positions, [word]);
        }
    }

    const starts = new Set(words.flatMap(({ positions, offset }) => positions.map((position) => position - offset)));
    let count = 0;
    let steps = 0;
    for (const start of starts) {
        if (++steps % PATIENCE === 0) {
            deadline.check();
        }

        if ([...groups].every(([positions, members]) => fits(positions, members, start, slop))) {
            ++count;
        }
    }

    return count;
}

/** Can each word take a position of its own within `slop` of the start? All windows are equally wide: the first free one is best. */
function fits(positions: readonly number[], words: readonly Places[], start: number, slop: number): boolean {

    let next = firstAtLeast(positions, start + (words[0]?.offset ?? 0));
    for (const { offset } of words) {
        while (next < positions.length && (positions[next] as number) < start + offset) {
            ++next;
        }

        const position = positions[next];
        if (position === undefined || position > start + offset + slop) {
            return false;
        }

        ++next;
    }

    return true;
}

function firstAtLeast(sorted: readonly number[], least: number): number {

    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if ((sorted[middle] as number) < least) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}

/** Goes forward through the documents of an entry. */
class Cursor {

    readonly count: number;
    readonly #documents: Uint32Array;
    readonly #frequencies: Uint32Array;
    readonly #bytes: Uint8Array;
    /** The document at which the cursor stands, and where its positions begin. */
    #index = 0;
    #at: number;
    #positions: { readonly index: number; readonly list: number[] } | null = null;

    constructor(space: TermSpace, entry: number) {

        this.count = space.count(entry);
        this.#documents = new Uint32Array(this.count);
        this.#frequencies = new Uint32Array(this.count);
        space.read(entry, this.#documents, this.#frequencies);
        this.#bytes = space.positions;
        this.#at = space.positionsAt(entry);
    }

    documentAt(index: number): number {

        return this.#documents[index] ?? 0;
    }

    /** Goes to a document, or to the first after it; true when it is there. */
    seek(document: number): boolean {

        let numbers = 0;
        while (this.#index < this.count && (this.#documents[this.#index] as number) < document) {
            numbers += this.#frequencies[this.#index] as number;
            ++this.#index;
        }

        const bytes = this.#bytes;
        let at = this.#at;
        for (; numbers > 0; --numbers) {
            while ((bytes[at++] as number) > 127) {
                // Numbers end with their first small byte.
            }
        }

        this.#at = at;
        return this.#documents[this.#index] === document;
    }

    /** The positions in the document at which the cursor stands; the same array when asked again. */
    positions(): number[] {

        if (this.#positions?.index === this.#index) {
            return this.#positions.list;
        }

        const list: number[] = [];
        let at = this.#at;
        let position = 0;
        for (let left = this.#frequencies[this.#index] as number; left > 0; --left) {
            let byte = this.#bytes[at++] as number;
            position += byte & 127;
            for (let factor = 128; byte > 127; factor *= 128) {
                byte = this.#bytes[at++] as number;
                position += (byte & 127) * factor;
            }

            list.push(position);
        }

        this.#positions = { index: this.#index, list };
        return list;
    }
}
