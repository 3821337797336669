/**
 * Snapshot of term lookups, exported by the search thread. Tables of stored segments are in shared memory; sets of documents are
 * copied.
 */

import { DocValues } from '../segment/doc-values.js';
import type { ColumnTables } from '../segment/doc-values.js';
import { bytesOfSet } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { ByteReader } from '../segment/section-reader.js';
import type { TermKind } from '../segment/format.js';
import { PAGE_BYTES } from '../segment/paged-sections.js';
import { TermDictionary } from '../segment/term-dictionary.js';
import type { DictionaryTables } from '../segment/term-dictionary.js';
import type { TermContext, TermContexts } from '../searcher/term-contexts.js';

/** Maximum number of segments of a snapshot, so that searching them stays cheap. */
const MAX_SEGMENTS = 32;

/** Plain data. */
export interface TermSnapshot {
    readonly documents: number;
    readonly contexts: readonly SharedTermContext[];
    /** Value of {@link LruCache.removals} for which it is valid. */
    readonly removals: number;
}

export interface SharedTermContext extends Omit<TermContext, 'dictionaries' | 'lastColumns' | 'ids'> {
    readonly dictionaries: readonly DictionaryTables[];
    readonly lastColumns: readonly (ColumnTables | null)[];
    readonly ids: ColumnTables | null;
}

/** Identifies a page of postings. */
export interface PageId {
    /** Index of the segment. */
    readonly segment: number;
    readonly kind: TermKind;
    readonly page: number;
}

/** Pages of the postings of a dictionary, by number. */
export type Pages = (Uint8Array | undefined)[];

/** Postings that a search needs are not in the snapshot. */
export class SnapshotMiss extends Error {

    /** The page to request; null when that would not help. */
    readonly page: PageId | null;

    constructor(page: PageId | null) {

        super('postings that were not lent');
        this.page = page;
    }
}

/** Exports contexts; null when there are too many segments. */
export function exportSnapshot({ documents, contexts }: TermContexts, removals: number): TermSnapshot | null {

    return contexts.length > MAX_SEGMENTS ? null : {
        documents, removals,
        contexts: contexts.map((context) => ({
            ...context,
            dictionaries: context.dictionaries.map(({ tables }) => tables),
            visible: shortened(context.visible),
            lastColumns: context.lastColumns.map((column) => column && column.firstValues),
            ids: context.ids && context.ids.firstValues
        }))
    };
}

/** Returns a page of the postings of a segment; null when there is none. */
export function pageOf({ contexts }: TermContexts, { segment, kind, page }: PageId): Uint8Array | null {

    const postings = contexts[segment]?.dictionaries.find(({ name }) => name === kind)?.postings;
    const start = page * PAGE_BYTES;
    return postings && start < postings.tables.length ? postings.slice(start, start + PAGE_BYTES) : null;
}

/** Restores contexts from a snapshot. Reading postings throws {@link SnapshotMiss} unless `pagesOf` has their page. */
export function importSnapshot({ documents, contexts }: TermSnapshot, pagesOf: (segment: number, kind: TermKind) => Pages): TermContexts {

    return {
        documents,
        contexts: contexts.map((shared, index): TermContext => ({
            ...shared,
            dictionaries: shared.dictionaries.map((tables) => {

                const post = new SnapshotReader({ segment: index, kind: tables.name }, tables.postings.length, pagesOf(index, tables.name));
                return new TermDictionary(tables, { post, positions: null });
            }),
            lastColumns: shared.lastColumns.map((tables) => tables && new DocValues(tables)),
            ids: shared.ids && new DocValues(shared.ids)
        }))
    };
}

/** Returns the size of the copied parts, in bytes. */
export function copiedBytes({ contexts }: TermSnapshot): number {

    return contexts.reduce((sum, { visible, payloads }) => sum + bytesOfSet(visible) + (payloads ? bytesOfSet(payloads) : 0), 0);
}

/** Drops the bits of a set that has all documents. */
function shortened(set: DocumentSet): DocumentSet {

    return set.kind === 'many' && set.cached?.isAll ? { ...set, bits: new Uint32Array(0) } : set;
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

    /** A range that spans pages is a miss without a remedy. */
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

    /** The length is an upper bound, which {@link open} cuts off at the end of the postings. */
    offsetOf(start: number, length: number): number {

        return this.open(start, start + length);
    }
}
