/**
 * Live segments of a node: immutable segments, each with a bit set of deleted documents (tombstones), and an indexing buffer that
 * becomes a small segment when a search needs it. An update adds a document and marks the previous one as deleted. Merges are left
 * to another thread by the merge policy, except the smallest ones, and those that this thread cannot keep up with.
 *
 * Used by one thread; all methods are synchronous.
 */

import { emptyBits, hasBit, setBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { SegmentPins } from './segment-leases.js';
import type { IndexDocument } from '../mapping/index-document.js';
import type { LruCache } from '../../util/cache/lru-cache.js';
import { mergeSegments } from './merge/segment-merger.js';
import { isMergeTime } from './merge/merge-policy.js';
import type { Load } from './merge/merge-policy.js';
import { DELETED } from './merge/merge-input.js';
import { newEntry, sumOf, toNamed, youngToMerge } from './segment-entry.js';
import type { Entry, MergedSegment, NamedSegment, StoredName } from './segment-entry.js';
import { Segment } from '../segment/segment-reader.js';
import { IndexingBuffer } from './indexing-buffer.js';
import { PagedSections } from '../segment/paged-sections.js';
import type { Fetch } from '../segment/paged-sections.js';
import { SegmentBuilder } from './segment-builder.js';
import type { SegmentSize } from '../segment/format.js';
import type { LiveSegment } from '../searcher/live-segment.js';
import { keywordOf } from '../analysis/analyzer.js';

/** A change of an object. */
export type Change =
    | { readonly kind: 'put'; readonly document: IndexDocument }
    | { readonly kind: 'delete'; readonly id: string };

/** Maximum number of unstored segments before they are merged here. */
const MAX_YOUNG_SEGMENTS = 16;

const SEARCHED: Load = { idleMs: 0, isSearched: true };

/** Limits in documents and bytes below which merging here is cheaper than handing the segments to another thread. */
const SMALL_DOCUMENTS = 16;
const SMALL_BYTES = 256 * 1024;

/** Limits in documents and bytes above which segments are always merged by another thread. */
const MAX_YOUNG_DOCUMENTS = 1024;
const MAX_YOUNG_BYTES = 16 * 1024 * 1024;

export class LiveSegments {

    /** Oldest first. */
    #entries: Entry[] = [];
    readonly #buffer = new IndexingBuffer();
    readonly #cache: LruCache;
    readonly #fetch: Fetch;
    readonly #pins = new SegmentPins();
    #nextName = -1;
    /** Changes applied since {@link seal}. */
    #changes = 0;

    /**
     * @param cache cache of sections, and of data computed from them
     * @param fetch reads stored segments
     */
    constructor(cache: LruCache, fetch: Fetch) {

        this.#cache = cache;
        this.#fetch = fetch;
    }

    apply(change: Change): void {

        const id = change.kind === 'put' ? change.document.id : change.id;
        ++this.#changes;
        this.#buffer.delete(id);
        this.#markDeleted(id);
        // The design object is not searchable.
        if (change.kind === 'put' && id !== DESIGN_ID && this.#buffer.add(change.document)) {
            this.#build();
        }
    }

    /** Returns all segments with every change applied. The snapshot is immutable: later changes copy the tombstones first. */
    snapshot(): LiveSegment[] {

        this.#buffer.resetThreshold();
        this.#build();
        return this.#entries.map((entry) => {

            entry.isShared = true;
            return { segment: entry.segment, deleted: entry.deleted };
        });
    }

    /** Runs a search on a snapshot, which stays valid when changes and other searches run in between. */
    withSnapshot<T>(search: (segments: readonly LiveSegment[]) => T): T {

        const segments = this.snapshot();
        return this.#pins.during(segments, () => search(segments));
    }

    /** Number of unstored documents, or of unstored changes if greater: these include deletions. */
    get unstored(): number {

        const documents = this.#entries.reduce((sum, entry) => sum + (entry.name < 0 ? entry.segment.documents : 0), this.#buffer.size);
        return Math.max(documents, this.#changes);
    }

    /** Number of documents, without deleted ones. */
    get documents(): number {

        return this.#entries.reduce((sum, { segment, deletedCount }) => sum + segment.documents - deletedCount, this.#buffer.size);
    }

    /** Number of segments that a search visits. */
    get count(): number {

        return this.#entries.length + Number(this.#buffer.size > 0);
    }

    /** Bytes of segments that are not stored. */
    get unstoredBytes(): number {

        return this.#entries.reduce((sum, entry) => sum + (entry.name < 0 ? entry.segment.bytes : 0), 0);
    }

    /** Adds a stored segment. */
    add(stored: StoredName, deleted: Bits): void {

        this.#entries.push(newEntry(stored.name, this.#stored(stored), deleted));
    }

    /** Freezes what is to be stored: new segments, and the tombstones of stored segments that changed. */
    seal(): { readonly unstored: NamedSegment[]; readonly changed: { readonly name: number; readonly deleted: Bits }[] } {

        this.#build();
        this.#changes = 0;
        const unstored = this.#entries.filter(({ name }) => name < 0);
        const changed = this.#entries.filter(({ name, isDirty }) => name >= 0 && isDirty);
        for (const entry of unstored) {
            entry.isSealed = true;
        }

        for (const entry of changed) {
            entry.isDirty = false;
        }

        return {
            unstored: unstored.map(toNamed),
            changed: changed.map(({ name, deleted }) => ({ name, deleted: deleted.slice() }))
        };
    }

    /** Returns unstored segments that should be merged, and freezes them until they are replaced. Small ones are merged at once. */
    gather(load: Load): { readonly sources: NamedSegment[]; readonly isMore: boolean } {

        if (!isMergeTime(load)) {
            return { sources: [], isMore: this.#buffer.size > 0 || this.#young().length > 1 };
        }

        if (load.idleMs > 0) {
            this.#build();
        }

        for (;;) {
            const young = this.#young();
            const chosen = youngToMerge(young, load);
            if (chosen.length === 0 || sumOf(chosen, 'documents') > SMALL_DOCUMENTS || sumOf(chosen, 'bytes') > SMALL_BYTES) {
                chosen.forEach((entry) => void (entry.isSealed = true));
                return { sources: chosen.map(toNamed), isMore: young.length > 1 };
            }

            this.#mergeHere(chosen);
        }
    }

    /** Returns the current tombstones of some segments. */
    copies(names: readonly number[]): { name: number; deleted: Bits }[] {

        return this.#entries.filter(({ name }) => names.includes(name)).map(({ name, deleted }) => ({ name, deleted }));
    }

    /** Returns the sizes of the stored segments. */
    sizes(): SegmentSize[] {

        return this.#entries.filter(({ name }) => name >= 0).map(({ name, segment, deletedCount }) => {

            return { name, documents: segment.documents, deleted: deletedCount, bytes: segment.source.total, fields: segment.fieldCount };
        });
    }

    /**
     * Replaces segments by the one merged from them.
     *
     * @param sources their names, and the new number of each of their documents
     * @param added null when no document was left
     */
    replace(sources: readonly { readonly name: number; readonly map: Uint32Array }[], added: MergedSegment | null): void {

        const segment = added && ('sections' in added ? Segment.of(added.sections, this.#cache) : this.#stored(added));
        const deleted = emptyBits(segment?.documents ?? 0);
        const removed = new Set<number>();
        for (const { name, map } of sources) {
            const entry = this.#entries.find((candidate) => candidate.name === name);
            removed.add(name);
            for (let document = 0; entry && document < map.length; ++document) {
                const target = map[document] as number;
                if (target !== DELETED && hasBit(entry.deleted, document)) {
                    setBit(deleted, target);
                }
            }
        }

        const index = this.#entries.findIndex(({ name }) => removed.has(name));
        const remaining = this.#entries.filter(({ name }) => !removed.has(name));
        this.#entries.filter(({ name }) => removed.has(name)).forEach(({ segment: removed }) => this.#pins.release(removed));
        if (segment && added) {
            const entry = newEntry('sections' in added ? this.#nextName-- : added.name, segment, deleted);
            remaining.splice(Math.max(index, 0), 0, { ...entry, isDirty: entry.deletedCount > 0 });
        }

        this.#entries = remaining;
    }

    /** Undoes {@link seal} after storing failed. */
    unseal(): void {

        this.#changes = Math.max(this.#changes, this.unstored);
        for (const entry of this.#entries) {
            entry.isSealed = false;
            entry.isDirty ||= entry.deletedCount > 0;
        }
    }

    /** Makes a segment of the buffered documents. */
    #build(): void {

        if (this.#buffer.size === 0) {
            return;
        }

        const builder = new SegmentBuilder();
        this.#buffer.drain().forEach((document) => builder.add(document));
        const segment = Segment.of(builder.finish(), this.#cache);
        this.#entries.push(newEntry(this.#nextName--, segment, emptyBits(segment.documents)));
        this.#mergeSmall();
    }

    /** Returns the unstored segments that are not frozen, oldest first. */
    #young(): Entry[] {

        return this.#entries.filter(({ name, isSealed }) => name < 0 && !isSealed);
    }

    /** Merges the youngest segments when there are too many. */
    #mergeSmall(): void {

        for (let young = this.#young(); young.length > MAX_YOUNG_SEGMENTS; young = this.#young()) {
            const chosen = youngToMerge(young, SEARCHED);
            while (sumOf(chosen, 'documents') > MAX_YOUNG_DOCUMENTS || sumOf(chosen, 'bytes') > MAX_YOUNG_BYTES) {
                chosen.shift();
            }

            if (chosen.length < 2) {
                return;
            }

            this.#mergeHere(chosen);
        }
    }

    /** Merges segments in this thread. */
    #mergeHere(sources: readonly Entry[]): void {

        const { sections, documents, maps } = mergeSegments(sources);
        const replaced = sources.map(({ name }, i) => ({ name, map: maps[i] ?? new Uint32Array(0) }));
        this.replace(replaced, documents > 0 ? { sections } : null);
    }

    #stored({ name, sizes }: StoredName): Segment {

        return new Segment(new PagedSections(name, sizes, { fetch: this.#fetch, memory: this.#cache }), this.#cache);
    }

    /** Marks the document of an object as deleted, if there is one. */
    #markDeleted(id: string): void {

        for (let i = this.#entries.length - 1; i >= 0; --i) {
            const entry = this.#entries[i] as Entry;
            const document = findDocument(entry, id);
            if (document !== -1) {
                if (entry.isShared) {
                    entry.deleted = entry.deleted.slice();
                    entry.isShared = false;
                }

                setBit(entry.deleted, document);
                ++entry.deletedCount;
                entry.isDirty = true;
                return;
            }
        }
    }
}

/** Returns the number of the live document of an object, -1 when there is none. */
export function findDocument({ segment, deleted }: LiveSegment, id: string): number {

    const keyword = segment.dictionary('keyword');
    const term = keyword.find(keywordOf(id));
    const entry = term === -1 ? -1 : keyword.entry(term, segment.field('id'));
    if (entry === -1) {
        return -1;
    }

    // Ids that differ in case share a term.
    const documents = new Uint32Array(keyword.postings.count(entry));
    keyword.postings.read(entry, documents, documents.slice());
    const column = segment.column('id');
    const ordinals = column?.docOrdinals();
    return documents.find((document) => !hasBit(deleted, document) && column?.value((ordinals?.[document] ?? 0) - 1) === id) ?? -1;
}
