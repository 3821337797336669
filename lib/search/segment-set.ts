/**
 * The segments that a node searches, and the changes since they were made. New documents wait until somebody searches, become a
 * small segment together, and small segments become larger ones; a change of a document is a new one and a gone one.
 *
 * It belongs to one thread and never waits.
 */

import { emptyBits, hasBit, setBit } from './bits.js';
import type { Bits } from './bits.js';
import { DESIGN_ID } from '../doip/handle.js';
import { keywordOf } from './analysis.js';
import type { LiveSegment } from './engine.js';
import type { IndexDocument } from './index-document.js';
import { mergeSegments } from './merge.js';
import { GONE } from './merge-part.js';
import type { Sections } from './segment-layout.js';
import { Segment } from './segment.js';
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

/** So many waiting documents become a segment though nobody searches. */
const WAITING = 64;

/** So many small segments of about the same size become one. */
const FAN = 4;

/** Larger ones are merged by another thread, when they are stored. */
const LARGEST = 1024;

interface Entry extends LiveSegment {
    readonly name: number;
    deadCount: number;
    /** Documents went since the last time that {@link SegmentSet.stored} was told. */
    isDirty: boolean;
    /** Being stored: to be left as it is. */
    isSealed: boolean;
}

export class SegmentSet {

    /** Oldest first. */
    #entries: Entry[] = [];
    readonly #waiting = new Map<string, IndexDocument>();
    #nextName = -1;

    apply(change: Change): void {

        const id = change.kind === 'put' ? change.document.id : change.id;
        this.#waiting.delete(id);
        this.#bury(id);
        // The design object is never found.
        if (change.kind === 'put' && id !== DESIGN_ID) {
            this.#waiting.set(id, change.document);
            if (this.#waiting.size >= WAITING) {
                this.#build();
            }
        }
    }

    /** All segments, with everything that was applied. What comes back does not change: later changes are not seen in it. */
    snapshot(): LiveSegment[] {

        this.#build();
        return this.#entries.map(({ segment, dead }) => ({ segment, dead: dead.slice() }));
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
    add({ name, sections, dead }: NamedSegment): void {

        const segment = new Segment(sections);
        this.#entries.push({ name, segment, dead, deadCount: countDead(dead, segment), isDirty: false, isSealed: false });
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

    /** Some segments as they are now. */
    copies(names: readonly number[]): NamedSegment[] {

        return this.#entries.filter(({ name }) => names.includes(name)).map(toNamed);
    }

    /** Numbers of documents, gone ones included, and of gone ones, of stored segments. */
    sizes(): { name: number; documents: number; dead: number }[] {

        return this.#entries.filter(({ name }) => name >= 0).map(({ name, segment, deadCount }) => ({ name, documents: segment.documents, dead: deadCount }));
    }

    /**
     * Puts a segment in the place of those that it was made of.
     *
     * @param sources their names, and for each the new numbers of its documents
     * @param added null when nothing was left
     */
    replace(
        sources: readonly { readonly name: number; readonly map: Uint32Array }[],
        added: { readonly name: number; readonly sections: Sections } | null
    ): void {

        const segment = added && new Segment(added.sections);
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
        if (segment && added) {
            const deadCount = countDead(dead, segment);
            kept.splice(Math.max(place, 0), 0, { name: added.name, segment, dead, deadCount, isDirty: deadCount > 0, isSealed: false });
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
        for (const document of this.#waiting.values()) {
            builder.add(document);
        }

        this.#waiting.clear();
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
            if (last.length < FAN || !isOneClass || total > LARGEST) {
                return;
            }

            const { sections, documents } = mergeSegments(last);
            this.#entries.splice(-FAN, FAN);
            if (documents > 0) {
                this.#addUnstored(sections);
            }
        }
    }

    #addUnstored(sections: Sections): void {

        const segment = new Segment(sections);
        this.#entries.push({ name: this.#nextName--, segment, dead: emptyBits(segment.documents), deadCount: 0, isDirty: false, isSealed: false });
    }

    /** Marks the document of an object as gone. There is one at most. */
    #bury(id: string): void {

        for (let i = this.#entries.length - 1; i >= 0; --i) {
            const entry = this.#entries[i] as Entry;
            const document = findDocument(entry, id);
            if (document !== -1) {
                setBit(entry.dead, document);
                ++entry.deadCount;
                entry.isDirty = true;
                return;
            }
        }
    }
}

/** The number of an object's living document, -1 when there is none. */
function findDocument({ segment, dead }: LiveSegment, id: string): number {

    const { keyword } = segment;
    const term = keyword.find(keywordOf(id));
    const entry = term === -1 ? -1 : keyword.entry(term, segment.field('id'));
    if (entry === -1) {
        return -1;
    }

    // Ids that differ by case share a term.
    const documents = new Uint32Array(keyword.count(entry));
    keyword.read(entry, documents, null);
    const column = segment.column('id');
    const ranks = column?.ranks();
    return documents.find((document) => !hasBit(dead, document) && column?.value((ranks?.[document] ?? 0) - 1) === id) ?? -1;
}

function countDead(dead: Bits, segment: Segment): number {

    let count = 0;
    for (let document = 0; document < segment.documents; ++document) {
        count += Number(hasBit(dead, document));
    }

    return count;
}

/** Powers of the fan. */
function sizeClass({ segment }: LiveSegment): number {

    return Math.floor(Math.log(segment.documents) / Math.log(FAN));
}

function toNamed({ name, segment, dead }: Entry): NamedSegment {

    return { name, sections: segment.sections, dead: dead.slice() };
}
