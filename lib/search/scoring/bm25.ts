/**
 * The formula of scores: BM25.
 */

import { decodeLength } from '../segment/norms.js';

/** How soon more occurrences of a word stop to count, and how much long texts count less; the usual values. */
const K1 = 1.2;
const B = 0.75;

/** How much a word tells that so many of the documents have. */
export function idf(having: number, documents: number): number {

    const count = Math.min(having, documents);
    return Math.log(1 + (documents - count + 0.5) / (count + 0.5));
}

/** What a word adds to a score at most. */
export function factorOf(weight: number): number {

    return weight * (K1 + 1);
}

/** What a word adds to the score of a document. */
export function score(factor: number, frequency: number, norm: number): number {

    return factor * frequency / (frequency + norm);
}

/** What lengths do to scores: `relative` is how many times longer than the average a document is. */
export function normOf(relative: number): number {

    return K1 * (1 - B + B * relative);
}

/** The same for whole values, whose lengths do not count. */
export const NORM_OF_VALUES = K1;

/** The same for a field, by the byte of the length. */
export function normTable(average: number): Float64Array {

    return Float64Array.from({ length: 256 }, (_, byte) => normOf(decodeLength(byte) / average));
}
