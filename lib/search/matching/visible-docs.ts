/**
 * Which documents of a segment a search may find: those that the caller may read, no versions unless they are wanted, and none
 * that are gone. What does not depend on gone documents is kept, since segments do not change.
 */

import { readableDocuments, versionDocuments } from './acl-filter.js';
import { countBits, forEachBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { bytesOfSet, countOf, forEachDocument, hasDocument, cachedSet, many, without } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { decodeLength } from '../segment/norms.js';
import type { Lengths, Segment } from '../segment/segment-reader.js';
import { indexInList } from '../docset/sorted-doc-ids.js';
import type { SearchAccess } from '../query/search-access.js';

/** Lengths of the documents that count, in one field. */
export interface LengthSum {
    readonly documents: number;
    readonly words: number;
}

/** What one kind of caller sees of a segment. */
export class View {

    /** Documents that are there, may be seen and are wanted. Not to be changed. */
    readonly visible: DocumentSet;
    readonly visibleCount: number;
    /** Documents whose words of payloads may be searched; null for all. Not to be changed. */
    readonly payloads: DocumentSet | null;
    readonly #segment: Segment;
    readonly #base: ViewBase;
    readonly #dead: Bits;
    /** By field. */
    readonly #lengthSums = new Map<number, LengthSum>();

    constructor(segment: Segment, base: ViewBase, dead: Bits) {

        this.#segment = segment;
        this.#base = base;
        this.#dead = dead;
        this.payloads = base.payloads;
        const isComplete = countBits(dead) === 0;
        this.visible = isComplete ? base.documents : cachedSet(without(base.documents, many(dead)), segment.documents);
        this.visibleCount = countOf(this.visible);
    }

    /** Sums up the lengths of a field over the documents that count. */
    lengthSum(name: string): LengthSum {

        const field = this.#segment.field(name);
        const lengths = field === -1 ? null : this.#segment.lengths(field);
        if (!lengths) {
            return NO_WORDS;
        }

        const all = known(this.#base.lengthSums, field, () => sumAll(lengths, this.#base.documents));
        const isComplete = this.visibleCount === countOf(this.#base.documents);
        return isComplete ? all : known(this.#lengthSums, field, () => this.#withoutDead(all, lengths));
    }

    #withoutDead(all: LengthSum, { bytes, documents: list }: Lengths): LengthSum {

        let { documents, words } = all;
        forEachBit(this.#dead, (document) => {

            const place = list ? indexInList(list, document) : document;
            const byte = place === -1 ? 0 : bytes[place] as number;
            if (byte !== 0 && hasDocument(this.#base.documents, document)) {
                --documents;
                words -= decodeLength(byte);
            }
        });
        return { documents, words };
    }
}

/** What holds whichever documents are gone. */
interface ViewBase {
    readonly documents: DocumentSet;
    readonly payloads: DocumentSet | null;
    /** By field. */
    readonly lengthSums: Map<number, LengthSum>;
    /** The last view, for the same gone documents. */
    last: { readonly dead: Bits; readonly view: View } | null;
}

const NO_WORDS: LengthSum = { documents: 0, words: 0 };

/** The average length of a field over all segments. */
export function averageLength(sums: readonly LengthSum[]): number {

    const documents = sums.reduce((sum, part) => sum + part.documents, 0);
    const words = sums.reduce((sum, part) => sum + part.words, 0);
    return documents === 0 ? 1 : words / documents;
}

/** What a caller sees of a segment. The array of gone documents is another one whenever more are gone. */
export function visibleDocs({ segment, dead }: { readonly segment: Segment; readonly dead: Bits }, caller: CallerScope): View {

    const base = segment.shelf.get(`view ${caller.includeVersions} ${caller.key}`, () => {

        const value = makeBase(segment, caller);
        return { value, bytes: bytesOfSet(value.documents) * 2 };
    });
    if (base.last?.dead !== dead) {
        base.last = { dead, view: new View(segment, base, dead) };
    }

    return base.last.view;
}

/** Who looks, and at what. */
export interface CallerScope {
    readonly access: SearchAccess;
    /** Names the access. */
    readonly key: string;
    readonly includeVersions: boolean;
}

function makeBase(segment: Segment, { access, key, includeVersions }: CallerScope): ViewBase {

    const { objects, payloads } = segment.shelf.get(`readable ${key}`, () => {

        const readable = readableDocuments(segment, access);
        const value = { objects: cachedSet(many(readable.objects), segment.documents), payloads: cachedSet(many(readable.payloads), segment.documents) };
        return { value, bytes: bytesOfSet(value.objects) + bytesOfSet(value.payloads) };
    });
    const documents = includeVersions ? objects : cachedSet(without(objects, many(versionDocuments(segment))), segment.documents);
    return { documents, payloads: access.all ? null : payloads, lengthSums: new Map(), last: null };
}

function known<K, V>(map: Map<K, V>, key: K, make: () => V): V {

    const value = map.get(key) ?? make();
    map.set(key, value);
    return value;
}

function sumAll(lengths: Lengths, counted: DocumentSet): LengthSum {

    return counted.kind === 'many' ? sumMany(lengths, counted.bits) : sumFew(lengths, counted);
}

function sumFew({ bytes, documents: list }: Lengths, counted: DocumentSet): LengthSum {

    let [documents, words] = [0, 0];
    forEachDocument(counted, (document) => {

        const byte = bytes[list ? indexInList(list, document) : document] ?? 0;
        documents += Number(byte !== 0);
        words += byte === 0 ? 0 : decodeLength(byte);
    });
    return { documents, words };
}

function sumMany({ bytes, documents: list }: Lengths, counted: Bits): LengthSum {

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
