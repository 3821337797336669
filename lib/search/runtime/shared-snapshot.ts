/**
 * What searches for words looked up, lent by the thread that searches to the one that asks. Tables of stored segments are in memory
 * that both share; sets of documents are copied.
 */

import { DocValues } from '../segment/doc-values.js';
import type { ColumnTables } from '../segment/doc-values.js';
import { bytesOfSet } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { ByteReader } from '../segment/section-reader.js';
import type { Space } from '../segment/format.js';
import { PAGE_BYTES } from '../segment/paged-sections.js';
import { TermDictionary } from '../segment/term-dictionary.js';
import type { SpaceTables } from '../segment/term-dictionary.js';
import type { TermContext, TermContexts } from '../searcher/term-contexts.js';

/** In so many segments a word can be looked for in passing. */
const MAX_SEGMENTS = 32;

/** Plain data. */
export interface TermSnapshot {
    readonly documents: number;
    readonly places: readonly SharedTermContext[];
    /** What {@link Memory.removals} is as long as it is lent. */
    readonly removals: number;
}

export interface SharedTermContext extends Omit<TermContext, 'spaces' | 'lastColumns' | 'ids'> {
    readonly spaces: readonly SpaceTables[];
    readonly lastColumns: readonly (ColumnTables | null)[];
    readonly ids: ColumnTables | null;
}

/** A page of postings. */
export interface PageId {
    /** Place of the segment. */
    readonly place: number;
    readonly space: Space;
    readonly page: number;
}

/** Pages of the postings of a space, by number. */
export type Pages = (Uint8Array | undefined)[];

/** Thrown when postings are not there. */
export class SnapshotMiss extends Error {

    /** What could be asked for; null when that would not help. */
    readonly wanted: PageId | null;

    constructor(wanted: PageId | null) {

        super('postings that were not lent');
        this.wanted = wanted;
    }
}

/** Null when there is too much of it. */
export function exportSnapshot({ documents, places }: TermContexts, removals: number): TermSnapshot | null {

    return places.length > MAX_SEGMENTS ? null : {
        documents, removals,
        places: places.map((place) => ({
            ...place,
            spaces: place.spaces.map(({ tables }) => tables),
            visible: shortened(place.visible),
            lastColumns: place.lastColumns.map((column) => column && column.firstValues),
            ids: place.ids && place.ids.firstValues
        }))
    };
}

/** A page of the postings of a place; null when there is none. */
export function pageOf({ places }: TermContexts, { place, space, page }: PageId): Uint8Array | null {

    const postings = places[place]?.spaces.find(({ name }) => name === space)?.postings;
    const start = page * PAGE_BYTES;
    return postings && start < postings.tables.length ? postings.piece(start, start + PAGE_BYTES) : null;
}

/** The same as it was. Reading postings throws {@link SnapshotMiss} unless `pagesOf` has their page. */
export function importSnapshot({ documents, places }: TermSnapshot, pagesOf: (place: number, space: Space) => Pages): TermContexts {

    return {
        documents,
        places: places.map((lent, place): TermContext => ({
            ...lent,
            spaces: lent.spaces.map((tables) => {

                const post = new SnapshotReader({ place, space: tables.name }, tables.postings.length, pagesOf(place, tables.name));
                return new TermDictionary(tables, { post, positions: null });
            }),
            lastColumns: lent.lastColumns.map((tables) => tables && new DocValues(tables)),
            ids: lent.ids && new DocValues(lent.ids)
        }))
    };
}

/** Bytes of what was copied. */
export function copiedBytes({ places }: TermSnapshot): number {

    return places.reduce((sum, { visible, payloads }) => sum + bytesOfSet(visible) + (payloads ? bytesOfSet(payloads) : 0), 0);
}

/** A set that has all documents need not say which. */
function shortened(set: DocumentSet): DocumentSet {

    return set.kind === 'many' && set.kept?.isAll ? { ...set, bits: new Uint32Array(0) } : set;
}

class SnapshotReader implements ByteReader {

    bytes: Uint8Array = new Uint8Array(0);
    readonly #owner: Omit<PageId, 'page'>;
    readonly #length: number;
    readonly #pages: Pages;

    constructor(owner: Omit<PageId, 'page'>, length: number, pages: Pages) {

        this.#owner = owner;
        this.#length = length;
        this.#pages = pages;
    }

    /** What spans pages was not lent. */
    open(start: number, end: number): number {

        const page = Math.floor(start / PAGE_BYTES);
        if (Math.min(end, this.#length) > (page + 1) * PAGE_BYTES) {
            throw new SnapshotMiss(null);
        }

        const bytes = this.#pages[page];
        if (!bytes) {
            throw new SnapshotMiss({ ...this.#owner, page });
        }

        this.bytes = bytes;
        return start - page * PAGE_BYTES;
    }

    /** So many bytes are the most that may be needed: there may be fewer of them up to the end of all. */
    place(start: number, length: number): number {

        return this.open(start, start + length);
    }
}
