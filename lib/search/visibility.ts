/**
 * Which documents of a segment a search may find: those that the caller may read, no versions unless they are wanted, and none
 * that are gone. What does not depend on gone documents is kept, since segments do not change.
 */

import { readableDocuments, versionDocuments } from './access.js';
import type { Readable, SearchAccess } from './access.js';
import { andNotBits, countBits, forEachBit, hasBit } from './bits.js';
import type { Bits } from './bits.js';
import { decodeLength } from './lengths.js';
import type { Lengths, Segment } from './segment.js';

/** Lengths of the documents that count, in one field. */
export interface LengthSum {
    readonly documents: number;
    readonly words: number;
}

/** What one kind of caller sees of a segment. */
export class View {

    /** Documents that are there, may be seen and are wanted. Not to be changed. */
    readonly visible: Bits;
    readonly visibleCount: number;
    /** Documents whose words of payloads may be searched; null for all. Not to be changed. */
    readonly payloads: Bits | null;
    readonly #segment: Segment;
    readonly #base: ViewBase;
    readonly #dead: Bits;

    constructor(segment: Segment, base: ViewBase, dead: Bits) {

        this.#segment = segment;
        this.#base = base;
        this.#dead = dead;
        this.payloads = base.payloads;
        this.visible = base.documents.slice();
        andNotBits(this.visible, dead);
        this.visibleCount = countBits(this.visible);
    }

    /** Sums up the lengths of a field over the documents that count. */
    lengthSum(name: string): LengthSum {

        const field = this.#segment.field(name);
        const lengths = field === -1 ? null : this.#segment.lengths(field);
        if (!lengths) {
            return NO_WORDS;
        }

        let all = this.#base.lengthSums.get(field);
        if (!all) {
            all = sumAll(lengths, this.#base.documents);
            this.#base.lengthSums.set(field, all);
        }

        return this.visibleCount === this.#base.count ? all : this.#withoutDead(all, lengths);
    }

    #withoutDead(all: LengthSum, { bytes, documents: list }: Lengths): LengthSum {

        let { documents, words } = all;
        forEachBit(this.#dead, (document) => {

            const place = list ? placeInList(list, document) : document;
            const byte = place === -1 ? 0 : bytes[place] as number;
            if (byte !== 0 && hasBit(this.#base.documents, document)) {
                --documents;
                words -= decodeLength(byte);
            }
        });
        return { documents, words };
    }
}

/** What holds whichever documents are gone. */
interface ViewBase {
    readonly documents: Bits;
    readonly count: number;
    readonly payloads: Bits | null;
    /** By field. */
    readonly lengthSums: Map<number, LengthSum>;
    /** The last view, for the same gone documents. */
    last: { readonly dead: Bits; readonly view: View } | null;
}

const NO_WORDS: LengthSum = { documents: 0, words: 0 };

/** What a caller sees of a segment. The array of gone documents is another one whenever more are gone. */
export function viewOf({ segment, dead }: { readonly segment: Segment; readonly dead: Bits }, caller: CallerView): View {

    const base = segment.shelf.get(`view ${caller.includeVersions} ${caller.key}`, () => {

        const value = makeBase(segment, caller);
        return { value, bytes: value.documents.byteLength * 3 };
    });
    if (base.last?.dead !== dead) {
        base.last = { dead, view: new View(segment, base, dead) };
    }

    return base.last.view;
}

/** Who looks, and at what. */
export interface CallerView {
    readonly access: SearchAccess;
    /** Names the access. */
    readonly key: string;
    readonly includeVersions: boolean;
}

function makeBase(segment: Segment, { access, key, includeVersions }: CallerView): ViewBase {

    const { objects, payloads } = segment.shelf.get(`readable ${key}`, () => {

        const value: Readable = readableDocuments(segment, access);
        return { value, bytes: value.objects.byteLength * 2 };
    });
    const documents = objects.slice();
    if (!includeVersions) {
        andNotBits(documents, versionDocuments(segment));
    }

    return { documents, count: countBits(documents), payloads: access.all ? null : payloads, lengthSums: new Map(), last: null };
}

function sumAll({ bytes, documents: list }: Lengths, counted: Bits): LengthSum {

    let [documents, words] = [0, 0];
    for (let i = 0; i < bytes.length; ++i) {
        const document = list ? list[i] as number : i;
        const byte = bytes[i] as number;
        if (byte !== 0 && ((counted[document >>> 5] as number) >>> (document & 31) & 1) === 1) {
            ++documents;
            words += decodeLength(byte);
        }
    }

    return { documents, words };
}

/** Where a document stands in a sorted list, -1 when it does not. */
export function placeInList(list: Uint32Array, document: number): number {

    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if ((list[middle] as number) < document) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return list[low] === document ? low : -1;
}
