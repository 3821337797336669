/**
 * Documents of a segment that a search may find: readable for the caller, not deleted, and no versions unless wanted. What does not
 * depend on deletions is cached, since segments are immutable.
 */

import { readableDocuments, versionDocuments } from './acl-filter.js';
import { countBits, forEachBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { bytesOfSet, countOf, forEachDocument, hasDocument, cachedSet, denseSet, without } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { decodeLength } from '../segment/norms.js';
import type { Lengths, Segment } from '../segment/segment-reader.js';
import { indexInList } from '../docset/sorted-doc-ids.js';
import type { SearchAccess } from '../query/search-access.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Sum of the norms of the counted documents, in one field. */
export interface LengthSum {
    readonly documents: number;
    readonly words: number;
}

/** View of a segment for callers with the same access. */
export class View {

    /** Live documents that the caller may see, within the scope of the search. Must not be modified. */
    readonly visible: DocumentSet;
    readonly visibleCount: number;
    /** Documents whose payloads may be searched; null for all. Must not be modified. */
    readonly payloads: DocumentSet | null;
    readonly #segment: Segment;
    readonly #base: ViewBase;
    readonly #deleted: Bits;
    /** By field. */
    readonly #lengthSums = new Map<number, LengthSum>();

    constructor(segment: Segment, base: ViewBase, deleted: Bits) {

        this.#segment = segment;
        this.#base = base;
        this.#deleted = deleted;
        this.payloads = base.payloads;
        const isComplete = countBits(deleted) === 0;
        this.visible = isComplete ? base.documents : cachedSet(without(base.documents, denseSet(deleted)), segment.documents);
        this.visibleCount = countOf(this.visible);
    }

    /** Returns the sum of the norms of a field over the visible documents. */
    lengthSum(name: string): LengthSum {

        const field = this.#segment.field(name);
        const lengths = field === -1 ? null : this.#segment.lengths(field);
        if (!lengths) {
            return NO_WORDS;
        }

        const all = getOrAdd(this.#base.lengthSums, field, () => sumAll(lengths, this.#base.documents));
        const isComplete = this.visibleCount === countOf(this.#base.documents);
        return isComplete ? all : getOrAdd(this.#lengthSums, field, () => this.#withoutDeleted(all, lengths));
    }

    #withoutDeleted(all: LengthSum, { bytes, documents: list }: Lengths): LengthSum {

        let { documents, words } = all;
        forEachBit(this.#deleted, (document) => {

            const index = list ? indexInList(list, document) : document;
            const byte = index === -1 ? 0 : bytes[index] as number;
            if (byte !== 0 && hasDocument(this.#base.documents, document)) {
                --documents;
                words -= decodeLength(byte);
            }
        });
        return { documents, words };
    }
}

/** The part of a view that does not depend on deletions. */
interface ViewBase {
    readonly documents: DocumentSet;
    readonly payloads: DocumentSet | null;
    /** By field. */
    readonly lengthSums: Map<number, LengthSum>;
    /** The last view, valid for the same tombstones. */
    last: { readonly deleted: Bits; readonly view: View } | null;
}

const NO_WORDS: LengthSum = { documents: 0, words: 0 };

/** Returns the average length of a field over all segments; 1 when no document has it. */
export function averageLength(sums: readonly LengthSum[]): number {

    const documents = sums.reduce((sum, part) => sum + part.documents, 0);
    const words = sums.reduce((sum, part) => sum + part.words, 0);
    return documents === 0 ? 1 : words / documents;
}

/** Returns the view of a segment for a caller. The tombstones are compared by identity: they are a new array after each deletion. */
export function visibleDocs({ segment, deleted }: { readonly segment: Segment; readonly deleted: Bits }, caller: CallerScope): View {

    const base = segment.cache.get(`view ${caller.includeVersions} ${caller.key}`, () => {

        const value = makeBase(segment, caller);
        return { value, bytes: bytesOfSet(value.documents) * 2 };
    });
    if (base.last?.deleted !== deleted) {
        base.last = { deleted, view: new View(segment, base, deleted) };
    }

    return base.last.view;
}

/** Whose view, and of which documents. */
export interface CallerScope {
    readonly access: SearchAccess;
    /** Identifies the access in caches. */
    readonly key: string;
    readonly includeVersions: boolean;
}

function makeBase(segment: Segment, { access, key, includeVersions }: CallerScope): ViewBase {

    const { objects, payloads } = segment.cache.get(`readable ${key}`, () => {

        const readable = readableDocuments(segment, access);
        const value = {
            objects: cachedSet(denseSet(readable.objects), segment.documents), payloads: cachedSet(denseSet(readable.payloads), segment.documents)
        };
        return { value, bytes: bytesOfSet(value.objects) + bytesOfSet(value.payloads) };
    });
    const documents = includeVersions ? objects : cachedSet(without(objects, denseSet(versionDocuments(segment))), segment.documents);
    return { documents, payloads: access.all && !access.onlyTypes ? null : payloads, lengthSums: new Map(), last: null };
}

function sumAll(lengths: Lengths, counted: DocumentSet): LengthSum {

    return counted.kind === 'many' ? sumDense(lengths, counted.bits) : sumSparse(lengths, counted);
}

function sumSparse({ bytes, documents: list }: Lengths, counted: DocumentSet): LengthSum {

    let [documents, words] = [0, 0];
    forEachDocument(counted, (document) => {

        const byte = bytes[list ? indexInList(list, document) : document] ?? 0;
        documents += Number(byte !== 0);
        words += byte === 0 ? 0 : decodeLength(byte);
    });
    return { documents, words };
}

function sumDense({ bytes, documents: list }: Lengths, counted: Bits): LengthSum {

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
