/**
 * BM25.
 */

import { decodeLength } from '../segment/norms.js';

/** Saturation of term frequencies, and weight of field lengths; the usual values. */
const K1 = 1.2;
const B = 0.75;

/** Returns the inverse document frequency of a term. */
export function idf(having: number, documents: number): number {

    const count = Math.min(having, documents);
    return Math.log(1 + (documents - count + 0.5) / (count + 0.5));
}

/** Returns the factor of a term: the limit of what it adds to a score. The weight is idf times boost. */
export function factorOf(weight: number): number {

    return weight * (K1 + 1);
}

/** Returns what a term adds to the score of a document. */
export function score(factor: number, frequency: number, norm: number): number {

    return factor * frequency / (frequency + norm);
}

/** Returns the norm of a document whose length is `relative` times the average. */
export function normOf(relative: number): number {

    return K1 * (1 - B + B * relative);
}

/** Norm of whole values, whose lengths do not count. */
export const NORM_OF_VALUES = K1;

/** Returns the norms of a field by the byte of the length (norms.ts). */
export function normTable(average: number): Float64Array {

    return Float64Array.from({ length: 256 }, (_, byte) => normOf(decodeLength(byte) / average));
}
