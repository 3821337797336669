/**
 * Sets of documents of one segment: sparse (a sorted list), so that operations on small sets take time in proportion to their size,
 * or dense (a bit set). The representation never changes a result.
 *
 * Operations may modify and return their operands, unless these are cached: operands must not be used afterwards.
 */

import { andBits, andNotBits, clearBits, countBits, countCommon, forEachBit, hasBit, listBits } from './bit-set.js';
import type { Bits } from './bit-set.js';
import { commonDocuments, indexInList } from './sorted-doc-ids.js';

/** Sorted list without duplicates. Never modified. */
export interface SparseSet {
    readonly kind: 'few';
    readonly documents: Uint32Array;
}

/** Bit set. */
export interface DenseSet {
    readonly kind: 'many';
    readonly bits: Bits;
    /** Set for cached sets, which are not modified; null for others. */
    readonly cached: { readonly count: number; /** True when the set has every document of the segment. */ readonly isAll: boolean } | null;
}

export type DocumentSet = SparseSet | DenseSet;

/** A set and its size. */
export interface CountedSet {
    readonly matches: DocumentSet;
    readonly count: number;
}

/** A sparse set has at most one in 64 documents of the segment, */
const SHARE = 64;

/** or this number in small segments, in which it makes no difference. */
const MIN_SPARSE = 16;

export const NO_DOCUMENTS: SparseSet = { kind: 'few', documents: new Uint32Array(0) };

/** Returns the maximum size of a sparse set in a segment. */
export function maxSparse(documents: number): number {

    return Math.max(Math.floor(documents / SHARE), MIN_SPARSE);
}

/**
 * @param documents sorted, without duplicates; must not be modified afterwards
 */
export function sparseSet(documents: Uint32Array): SparseSet {

    return { kind: 'few', documents };
}

/** Makes a dense set, which takes ownership of the bits. */
export function denseSet(bits: Bits): DenseSet {

    return { kind: 'many', bits, cached: null };
}

/** Returns a set that is safe to cache, in its smaller representation; `documents` is their number in the segment. */
export function cachedSet(set: DocumentSet, documents: number): DocumentSet {

    if (set.kind === 'few' || set.cached) {
        return set;
    }

    const { matches, count } = counted(set, documents);
    return matches.kind === 'few' ? matches : { kind: 'many', bits: matches.bits, cached: { count, isAll: count === documents } };
}

/** Returns the memory used, in bytes. */
export function bytesOfSet(set: DocumentSet): number {

    return set.kind === 'few' ? set.documents.byteLength : set.bits.byteLength;
}

/** Returns the size of a set; linear in the size of the segment unless it is sparse or cached. */
export function countOf(set: DocumentSet): number {

    return set.kind === 'few' ? set.documents.length : set.cached?.count ?? countBits(set.bits);
}

/** Returns the set in its smaller representation, with its size; `documents` is their number in the segment. */
export function counted(set: DocumentSet, documents: number): CountedSet {

    const count = countOf(set);
    return { count, matches: set.kind === 'many' && count <= maxSparse(documents) ? sparseSet(listOf(set, count)) : set };
}

export function hasDocument(set: DocumentSet, document: number): boolean {

    return set.kind === 'few' ? indexInList(set.documents, document) !== -1 : hasBit(set.bits, document);
}

/** Visits all documents in ascending order. */
export function forEachDocument(set: DocumentSet, visit: (document: number) => void): void {

    if (set.kind === 'few') {
        set.documents.forEach(visit);
        return;
    }

    forEachBit(set.bits, visit);
}

/** Returns the documents, ascending; the list must not be modified. */
export function listOf(set: DocumentSet, count = countOf(set)): Uint32Array {

    if (set.kind === 'few') {
        return set.documents;
    }

    const documents = new Uint32Array(count);
    listBits(set.bits, documents);
    return documents;
}

/** Returns the size of the intersection; modifies neither set. */
export function countBoth(a: DocumentSet, b: DocumentSet): number {

    if (isAll(b)) {
        return countOf(a);
    }

    return a.kind === 'many' && b.kind === 'many' ? isAll(a) ? countOf(b) : countCommon(a.bits, b.bits) : countOf(both(a, b));
}

/** Returns the intersection. */
export function both(a: DocumentSet, b: DocumentSet): DocumentSet {

    if (a === b || isAll(b)) {
        return a;
    }

    if (isAll(a)) {
        return b;
    }

    if (a.kind === 'few') {
        return sparseSet(b.kind === 'few' ? commonDocuments(a.documents, b.documents) : chosen(a.documents, b.bits, true));
    }

    if (b.kind === 'few') {
        return sparseSet(chosen(b.documents, a.bits, true));
    }

    const [changed, other] = a.cached && !b.cached ? [b, a] : [writable(a), b];
    return andBits(changed.bits, other.bits) ? changed : NO_DOCUMENTS;
}

/** Returns the difference: what is in the first set but not in the second. */
export function without(a: DocumentSet, b: DocumentSet): DocumentSet {

    if (a.kind === 'few') {
        return sparseSet(b.kind === 'few' ? a.documents.filter((document) => indexInList(b.documents, document) === -1) : chosen(a.documents, b.bits, false));
    }

    if (b.kind === 'few' && b.documents.length === 0) {
        return a;
    }

    const left = writable(a);
    if (b.kind === 'many') {
        andNotBits(left.bits, b.bits);
        return left;
    }

    clearBits(left.bits, b.documents);
    return left;
}

/** Returns whether the set is known to have every document of the segment. */
function isAll(set: DocumentSet): boolean {

    return set.kind === 'many' && set.cached !== null && set.cached.isAll;
}

function writable(set: DenseSet): DenseSet {

    return set.cached ? denseSet(set.bits.slice()) : set;
}

/** Filters a list: documents that are in the bit set, or those that are not. */
function chosen(documents: Uint32Array, bits: Bits, among: boolean): Uint32Array {

    const expected = Number(among);
    const found = new Uint32Array(documents.length);
    let count = 0;
    for (let i = 0; i < documents.length; ++i) {
        const document = documents[i] as number;
        if (((bits[document >>> 5] as number) >>> (document & 31) & 1) === expected) {
            found[count++] = document;
        }
    }

    return count === found.length ? found : found.subarray(0, count);
}
