/**
 * The segments that a node searches, and the changes since they were made. New documents wait until somebody searches, become a
 * small segment together, and small segments become larger ones; a change of a document is a new one and a gone one.
 *
 * It belongs to one thread and never waits.
 */

import { countBits, emptyBits, hasBit, setBit } from './bits.js';
import type { Bits } from './bits.js';
import { DESIGN_ID } from '../doip/handle.js';
import type { LiveSegment } from './engine.js';
import { findDocument } from './find-document.js';
import { HeldSegments } from './held-segments.js';
import type { IndexDocument } from './index-document.js';
import type { SegmentSize } from './messages.js';
import type { Memory } from './memory.js';
import { mergeSegments } from './merge.js';
import { GONE } from './merge-part.js';
import type { Sections } from './segment-layout.js';
import { Segment } from './segment.js';
import { SectionsInMemory } from './sections.js';
import { WaitingDocuments } from './waiting-documents.js';
import { StoredSections } from './stored-sections.js';
import type { Fetch } from './stored-sections.js';
import { SegmentBuilder } from './segment-builder.js';

/** Something that happened to an object. */
export type Change =
    | { readonly kind: 'put'; readonly document: IndexDocument }
    | { readonly kind: 'delete'; readonly id: string };

/** A segment with its name. Names are given by whoever stores segments; those not stored yet have negative ones. */
export interface NamedSegment {
    readonly name: number;
    readonly sections: Sections;
    readonly dead: Bits;
}

/** A stored segment: its name, and the bytes of its sections. */
export interface StoredName {
    readonly name: number;
    readonly sizes: ReadonlyMap<string, number>;
}

/** So many small segments of about the same size become one. */
const FAN = 4;

/** Larger ones, in documents or in bytes, are merged by another thread, when they are stored. */
const LARGEST = 1024;
const LARGEST_BYTES = 16 * 1024 * 1024;

interface Entry {
    readonly name: number;
    readonly segment: Segment;
    /** Not changed once it was given away. */
    dead: Bits;
    isGivenAway: boolean;
    deadCount: number;
    /** Documents went since the last time that {@link SegmentSet.stored} was told. */
    isDirty: boolean;
    /** Being stored: to be left as it is. */
    isSealed: boolean;
}

export class SegmentSet {

    /** Oldest first. */
    #entries: Entry[] = [];
    readonly #waiting = new WaitingDocuments();
    readonly #memory: Memory;
    readonly #fetch: Fetch;
    readonly #held = new HeldSegments();
    #nextName = -1;

    /**
     * @param memory where what was read of the segments, and computed of them, is kept
     * @param fetch reads stored segments
     */
    constructor(memory: Memory, fetch: Fetch) {

        this.#memory = memory;
        this.#fetch = fetch;
    }

    apply(change: Change): void {

        const id = change.kind === 'put' ? change.document.id : change.id;
        this.#waiting.delete(id);
        this.#bury(id);
        // The design object is never found.
        if (change.kind === 'put' && id !== DESIGN_ID && this.#waiting.add(change.document)) {
            this.#build();
        }
    }

    /** All segments, with everything that was applied. What comes back does not change: later changes are not seen in it. */
    snapshot(): LiveSegment[] {

        this.#waiting.asked();
        this.#build();
        return this.#entries.map((entry) => {

            entry.isGivenAway = true;
            return { segment: entry.segment, dead: entry.dead };
        });
    }

    /** Gives a snapshot to a search in the midst of which there may be changes and other searches. */
    during<T>(search: (segments: readonly LiveSegment[]) => T): T {

        const segments = this.snapshot();
        return this.#held.during(segments, () => search(segments));
    }

    /** Documents that are not stored. */
    get unstored(): number {

        return this.#waiting.size + this.#entries.reduce((sum, entry) => sum + (entry.name < 0 ? entry.segment.documents : 0), 0);
    }

    /** Bytes of segments that are not stored. */
    get unstoredBytes(): number {

        return this.#entries.reduce((sum, entry) => sum + (entry.name < 0 ? entry.segment.bytes : 0), 0);
    }

    /** Adds a stored segment. */
    add(stored: StoredName, dead: Bits): void {

        const segment = this.#stored(stored);
        this.#entries.push({ name: stored.name, segment, dead, isGivenAway: false, deadCount: countBits(dead), isDirty: false, isSealed: false });
    }

    /** What is to be stored: segments that are not yet, and, of those that are, the ones from which documents went. */
    seal(): { readonly unstored: NamedSegment[]; readonly changed: { readonly name: number; readonly dead: Bits }[] } {

        this.#build();
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
            changed: changed.map(({ name, dead }) => ({ name, dead: dead.slice() }))
        };
    }

    /** Which documents of some segments are gone now. */
    copies(names: readonly number[]): { name: number; dead: Bits }[] {

        return this.#entries.filter(({ name }) => names.includes(name)).map(({ name, dead }) => ({ name, dead }));
    }

    /** How large the stored segments are. */
    sizes(): SegmentSize[] {

        return this.#entries.filter(({ name }) => name >= 0).map(({ name, segment, deadCount }) => {

            return { name, documents: segment.documents, dead: deadCount, bytes: segment.source.total, fields: segment.fieldCount };
        });
    }

    /**
     * Puts a segment in the place of those that it was made of.
     *
     * @param sources their names, and for each the new numbers of its documents
     * @param added null when nothing was left
     */
    replace(sources: readonly { readonly name: number; readonly map: Uint32Array }[], added: StoredName | null): void {

        const segment = added && this.#stored(added);
        const dead = emptyBits(segment?.documents ?? 0);
        const gone = new Set<number>();
        for (const { name, map } of sources) {
            const entry = this.#entries.find((candidate) => candidate.name === name);
            gone.add(name);
            for (let document = 0; entry && document < map.length; ++document) {
                const target = map[document] as number;
                if (target !== GONE && hasBit(entry.dead, document)) {
                    setBit(dead, target);
                }
            }
        }

        const place = this.#entries.findIndex(({ name }) => gone.has(name));
        const kept = this.#entries.filter(({ name }) => !gone.has(name));
        this.#entries.filter(({ name }) => gone.has(name)).forEach(({ segment: gone }) => this.#held.release(gone));
        if (segment && added) {
            const deadCount = countBits(dead);
            kept.splice(Math.max(place, 0), 0, { name: added.name, segment, dead, isGivenAway: false, deadCount, isDirty: deadCount > 0, isSealed: false });
        }

        this.#entries = kept;
    }

    /** Storing failed: what was sealed can be merged again. */
    unseal(): void {

        for (const entry of this.#entries) {
            entry.isSealed = false;
            entry.isDirty ||= entry.deadCount > 0;
        }
    }

    /** Makes a segment of the waiting documents. */
    #build(): void {

        if (this.#waiting.size === 0) {
            return;
        }

        const builder = new SegmentBuilder();
        for (const document of this.#waiting.take()) {
            builder.add(document);
        }

        this.#addUnstored(builder.finish());
        this.#mergeSmall();
    }

    /** Small segments of the same size class are merged when there are several at the end. */
    #mergeSmall(): void {

        for (;;) {
            const last = this.#entries.slice(-FAN);
            const [first] = last;
            const total = last.reduce((sum, { segment }) => sum + segment.documents, 0);
            const isOneClass = last.every((entry) => first && entry.name < 0 && !entry.isSealed && sizeClass(entry) === sizeClass(first));
            const bytes = last.reduce((sum, { segment }) => sum + segment.bytes, 0);
            if (last.length < FAN || !isOneClass || total > LARGEST || bytes > LARGEST_BYTES) {
                return;
            }

            const { sections, documents } = mergeSegments(last);
            this.#entries.splice(-FAN, FAN).forEach(({ segment }) => this.#held.release(segment));
            if (documents > 0) {
                this.#addUnstored(sections);
            }
        }
    }

    #stored({ name, sizes }: StoredName): Segment {

        return new Segment(new StoredSections(name, sizes, { fetch: this.#fetch, memory: this.#memory }), this.#memory);
    }

    #addUnstored(sections: Sections): void {

        const segment = Segment.of(sections, this.#memory);
        const dead = emptyBits(segment.documents);
        this.#entries.push({ name: this.#nextName--, segment, dead, isGivenAway: false, deadCount: 0, isDirty: false, isSealed: false });
    }

    /** Marks the document of an object as gone. There is one at most. */
    #bury(id: string): void {

        for (let i = this.#entries.length - 1; i >= 0; --i) {
            const entry = this.#entries[i] as Entry;
            const document = findDocument(entry, id);
            if (document !== -1) {
                if (entry.isGivenAway) {
                    entry.dead = entry.dead.slice();
                    entry.isGivenAway = false;
                }

                setBit(entry.dead, document);
                ++entry.deadCount;
                entry.isDirty = true;
                return;
            }
        }
    }
}

/** Powers of the fan. */
function sizeClass({ segment }: LiveSegment): number {

    return Math.floor(Math.log(segment.documents) / Math.log(FAN));
}

function sectionsOf({ source }: Segment): Sections {

    if (!(source instanceof SectionsInMemory)) {
        throw new Error('only what is in memory can be handed on');
    }

    return source.sections;
}

function toNamed({ name, segment, dead }: Entry): NamedSegment {

    return { name, sections: sectionsOf(segment), dead: dead.slice() };
}
