/**
 * Finds phrases by the positions of their words. Slop is the number of positions by which words may be moved in all: a phrase
 * matches where the positions of the words, each minus its offset in the phrase, lie within `slop` of each other. A word that
 * occurs twice in the phrase needs two positions.
 */

import { hasBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import type { Deadline } from '../query/query-deadline.js';
import { both, forEachDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { PositionCursor } from '../segment/positions.js';
import { entryList, entrySet } from '../segment/postings-cache.js';
import type { Segment } from '../segment/segment-reader.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { PhraseQuery } from '../query/query.js';
import { firstPassing } from '../../util/binary-search.js';

/** Receives the frequency of a phrase in a document. */
export type PhraseSink = (document: number, frequency: number) => void;

/** Where to search for a phrase, and where to report matches. */
export interface PhraseSearch {
    readonly segment: Segment;
    readonly deadline: Deadline;
    /** Other documents may be skipped; null for all. */
    readonly among: Bits | null;
    readonly sink: PhraseSink;
}

/** Interval, in documents, at which the deadline is checked. */
const STEPS_PER_CHECK = 1024;

/** Finds a phrase in one field; `entries` has the entry of each word. */
export function findPhrase(
    dictionary: TermDictionary, entries: readonly number[], phrase: Pick<PhraseQuery, 'words' | 'slop'>, search: PhraseSearch
): void {

    const { segment, deadline, among, sink } = search;
    const candidates = candidatesOf(segment, dictionary, entries);
    if (!candidates) {
        return;
    }

    const cursors = new Map([...new Set(entries)].map((entry) => [
        entry, new PositionCursor(entryList(segment, dictionary, entry), dictionary.positions(entry))
    ]));
    const all = [...cursors.values()];
    const words = phrase.words.flatMap(({ position }, i): PlacedCursor[] => {

        const cursor = cursors.get(entries[i] ?? -1);
        return cursor ? [{ cursor, offset: position }] : [];
    });
    let visited = 0;
    forEachDocument(candidates, (document) => {

        if (++visited % STEPS_PER_CHECK === 0) {
            deadline.check();
        }

        if (among && !hasBit(among, document)) {
            return;
        }

        for (const cursor of all) {
            cursor.goTo(document);
        }

        const frequency = phrase.slop === 0 ? countExact(words) : countSloppy(words, phrase.slop, deadline);
        if (frequency > 0) {
            sink(document, frequency);
        }
    });
}

/** Returns the documents that have all words; null when there are none. */
function candidatesOf(segment: Segment, dictionary: TermDictionary, entries: readonly number[]): DocumentSet | null {

    let candidates: DocumentSet | null = null;
    for (const entry of new Set(entries)) {
        const having = entrySet(segment, dictionary, entry);
        candidates = candidates ? both(candidates, having) : having;
        if (candidates.kind === 'few' && candidates.documents.length === 0) {
            return null;
        }
    }

    return candidates;
}

/** A word of the phrase. */
interface PlacedCursor {
    /** Shared by repetitions of the word. */
    readonly cursor: PositionCursor;
    /** Position in the phrase. */
    readonly offset: number;
}

/** Returns the number of positions at which all words follow each other. */
function countExact(words: readonly PlacedCursor[]): number {

    const [first] = words;
    if (!first) {
        return 0;
    }

    let count = 0;
    const { positions, count: frequency } = first.cursor;
    for (let i = 0; i < frequency; ++i) {
        const start = (positions[i] as number) - first.offset;
        let isPhrase = true;
        for (let word = 1; isPhrase && word < words.length; ++word) {
            const { cursor, offset } = words[word] as PlacedCursor;
            isPhrase = cursor.has(start + offset);
        }

        count += Number(isPhrase);
    }

    return count;
}

/** Positions of a word in one document. */
interface PositionLists {
    /** Ascending; shared by words with the same term. */
    readonly positions: readonly number[];
    /** Position in the phrase. */
    readonly offset: number;
}

/** Returns the number of positions from which all words lie within `slop`. */
function countSloppy(cursors: readonly PlacedCursor[], slop: number, deadline: Deadline): number {

    const words = cursors.map(({ cursor, offset }): PositionLists => ({ positions: cursor.list(), offset }));
    // Words with the same term share positions and must take different ones, in the order of their offsets.
    const groups = new Map<readonly number[], PositionLists[]>();
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
        if (++steps % STEPS_PER_CHECK === 0) {
            deadline.check();
        }

        if ([...groups].every(([positions, members]) => fits(positions, members, start, slop))) {
            ++count;
        }
    }

    return count;
}

/**
 * Returns whether every word can take a position of its own within `slop` of the start. Greedy choice is optimal, as all windows
 * have the same width.
 */
function fits(positions: readonly number[], words: readonly PositionLists[], start: number, slop: number): boolean {

    const least = start + (words[0]?.offset ?? 0);
    let next = firstPassing(0, positions.length, (i) => (positions[i] as number) >= least);
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
