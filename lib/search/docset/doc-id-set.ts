/**
 * Sets of documents of one segment: a list while they are few, so that what is done with them takes as long as there are
 * documents, and bits when they are many. Which of both it is never changes an answer.
 *
 * Sets that are combined may be changed by that, unless they are kept: they are not to be used afterwards.
 */

import { andBits, andNotBits, clearBits, countBits, countCommon, forEachBit, hasBit, listBits } from './bit-set.js';
import type { Bits } from './bit-set.js';
import { commonDocuments, indexInList } from './sorted-doc-ids.js';

/** A sorted list, each document once. Never changed. */
export interface SparseSet {
    readonly kind: 'few';
    readonly documents: Uint32Array;
}

/** Bits. */
export interface DenseSet {
    readonly kind: 'many';
    readonly bits: Bits;
    /** Known of sets that are kept for others and therefore not changed; null of others. */
    readonly kept: { readonly count: number; /** No document of the segment is missing. */ readonly isAll: boolean } | null;
}

export type DocumentSet = SparseSet | DenseSet;

/** Documents, and how many. */
export interface CountedSet {
    readonly matches: DocumentSet;
    readonly count: number;
}

/** Lists have at most one document of so many, */
const SHARE = 64;

/** but that is not asked of segments so small that it makes no difference. */
const ALWAYS_FEW = 16;

export const NO_DOCUMENTS: SparseSet = { kind: 'few', documents: new Uint32Array(0) };

/** The most documents of a segment that are few. */
export function mostFew(documents: number): number {

    return Math.max(Math.floor(documents / SHARE), ALWAYS_FEW);
}

/** @param documents sorted, each once; not to be changed any more */
export function few(documents: Uint32Array): SparseSet {

    return { kind: 'few', documents };
}

/** Bits that nobody else uses. */
export function many(bits: Bits): DenseSet {

    return { kind: 'many', bits, kept: null };
}

/** What is kept to be used again and again, as short as it can be; `documents` is how many the segment has. */
export function cachedSet(set: DocumentSet, documents: number): DocumentSet {

    if (set.kind === 'few' || set.kept) {
        return set;
    }

    const { matches, count } = counted(set, documents);
    return matches.kind === 'few' ? matches : { kind: 'many', bits: matches.bits, kept: { count, isAll: count === documents } };
}

/** Bytes that it takes. */
export function bytesOfSet(set: DocumentSet): number {

    return set.kind === 'few' ? set.documents.byteLength : set.bits.byteLength;
}

export function countOf(set: DocumentSet): number {

    return set.kind === 'few' ? set.documents.length : set.kept?.count ?? countBits(set.bits);
}

/** The same documents, as short as they can be; `documents` is how many the segment has. */
export function counted(set: DocumentSet, documents: number): CountedSet {

    const count = countOf(set);
    return { count, matches: set.kind === 'many' && count <= mostFew(documents) ? few(listOf(set, count)) : set };
}

export function hasDocument(set: DocumentSet, document: number): boolean {

    return set.kind === 'few' ? indexInList(set.documents, document) !== -1 : hasBit(set.bits, document);
}

/** Calls for every document, in order. */
export function forEachDocument(set: DocumentSet, visit: (document: number) => void): void {

    if (set.kind === 'few') {
        set.documents.forEach(visit);
        return;
    }

    forEachBit(set.bits, visit);
}

/** The documents in order; not to be changed. */
export function listOf(set: DocumentSet, count = countOf(set)): Uint32Array {

    if (set.kind === 'few') {
        return set.documents;
    }

    const documents = new Uint32Array(count);
    listBits(set.bits, documents);
    return documents;
}

/** How many documents are in both; neither is changed. */
export function countBoth(a: DocumentSet, b: DocumentSet): number {

    if (isAll(b)) {
        return countOf(a);
    }

    return a.kind === 'many' && b.kind === 'many' ? isAll(a) ? countOf(b) : countCommon(a.bits, b.bits) : countOf(both(a, b));
}

/** What is in both. */
export function both(a: DocumentSet, b: DocumentSet): DocumentSet {

    if (a === b || isAll(b)) {
        return a;
    }

    if (isAll(a)) {
        return b;
    }

    if (a.kind === 'few') {
        return few(b.kind === 'few' ? commonDocuments(a.documents, b.documents) : chosen(a.documents, b.bits, true));
    }

    if (b.kind === 'few') {
        return few(chosen(b.documents, a.bits, true));
    }

    const [changed, other] = a.kept && !b.kept ? [b, a] : [own(a), b];
    return andBits(changed.bits, other.bits) ? changed : NO_DOCUMENTS;
}

/** What is in the first but not in the second. */
export function without(a: DocumentSet, b: DocumentSet): DocumentSet {

    if (a.kind === 'few') {
        return few(b.kind === 'few' ? a.documents.filter((document) => indexInList(b.documents, document) === -1) : chosen(a.documents, b.bits, false));
    }

    if (b.kind === 'few' && b.documents.length === 0) {
        return a;
    }

    const left = own(a);
    if (b.kind === 'many') {
        andNotBits(left.bits, b.bits);
        return left;
    }

    clearBits(left.bits, b.documents);
    return left;
}

/** No document of the segment is missing. */
function isAll(set: DocumentSet): boolean {

    return set.kind === 'many' && set.kept !== null && set.kept.isAll;
}

function own(set: DenseSet): DenseSet {

    return set.kept ? many(set.bits.slice()) : set;
}

/** Those that are among the bits, or those that are not. */
function chosen(documents: Uint32Array, bits: Bits, among: boolean): Uint32Array {

    const wanted = Number(among);
    const found = new Uint32Array(documents.length);
    let count = 0;
    for (let i = 0; i < documents.length; ++i) {
        const document = documents[i] as number;
        if (((bits[document >>> 5] as number) >>> (document & 31) & 1) === wanted) {
            found[count++] = document;
        }
    }

    return count === found.length ? found : found.subarray(0, count);
}
