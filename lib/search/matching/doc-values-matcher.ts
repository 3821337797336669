/**
 * Matches doc values: exact values, numbers, times.
 */

import { emptyBits, hasBit, setBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import type { DocValues, DocOrdinals } from '../segment/doc-values.js';
import { compareBytes, encodeText } from '../segment/byte-buffers.js';
import type { Deadline } from '../query/query-deadline.js';
import { candidatesOf, forEachSimilar } from '../segment/fuzzy/fuzzy-terms.js';
import type { SortedTerms } from '../analysis/term-bytes.js';
import { formatTimestamp, timeBounds } from '../analysis/timestamps.js';
import type { FuzzyQuery, PatternQuery, RangeQuery, TermQuery } from '../query/query.js';
import type { NumberForm } from '../analysis/field-names.js';
import { forEachMatch } from './term-expansion.js';

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Range of ordinals: from `first` to before `end`. */
interface Ordinals {
    readonly first: number;
    readonly end: number;
}

/** Adds the documents with a value that equals the text, or a number written like it. */
export function matchValue(column: DocValues | null, text: string, bits: Bits): void {

    if (!column) {
        return;
    }

    const ordinal = column.findText(text);
    if (ordinal !== -1) {
        addRange(column, { first: ordinal, end: ordinal + 1 }, bits);
    }

    const number = Number(text);
    if (String(number) === text) {
        addRange(column, numbersIn(column, { low: number, high: number, includesLow: true, includesHigh: true }), bits);
    }
}

/**
 * Adds the documents with numbers or times in a range, if its bounds are numbers or times. Returns true when nothing else can
 * match: ranges of times are not compared with words, ranges of numbers are, because texts contain numbers.
 */
export function matchColumnRange(column: DocValues | null, range: RangeQuery, bits: Bits): boolean {

    const [low, high] = [range.low, range.high].map((bound) => (bound === null ? null : parseNumber(bound)));
    if (low !== undefined && high !== undefined && !Number.isNaN(low) && !Number.isNaN(high)) {
        if (column) {
            addRange(column, numbersIn(column, { ...range, low, high }), bits);
        }

        return false;
    }

    const bounds = timeBounds(range);
    if (!bounds) {
        return false;
    }

    const times = column?.times;
    if (column && times) {
        const isInRange = rangeTest(bounds);
        addSelected(column, (ordinal) => isInRange(times[ordinal - column.numbers.length] ?? NaN), bits);
    }

    return true;
}

/** Adds the documents with a number whose text form matches. */
export function matchNumbers(
    column: DocValues | null, leaf: TermQuery | PatternQuery | FuzzyQuery | RangeQuery,
    { form, bits, deadline }: { readonly form: NumberForm; readonly bits: Bits; readonly deadline: Deadline }
): void {

    if (!column) {
        return;
    }

    const format = form === 'timestamp' ? formatTimestamp : String;
    if (leaf.kind === 'range') {
        addRange(column, form === 'timestamp' ? timestampsIn(column, leaf) : decimalsIn(column, leaf), bits);
    }
    else if (leaf.kind === 'term') {
        addSelected(column, (ordinal) => format(column.numbers[ordinal] ?? NaN) === leaf.term, bits);
    }
    else {
        const { ordinals, terms } = sortTexts(Array.from(column.numbers, (number) => format(number)));
        const selected = new Set<number>();
        const add = (term: number): void => void selected.add(ordinals[term] ?? -1);
        if (leaf.kind === 'pattern') {
            forEachMatch(terms, leaf.pattern, deadline, add);
        }
        else {
            forEachSimilar(terms, candidatesOf(terms, leaf.edits), { word: leaf.term, edits: leaf.edits, deadline }, add);
        }

        addSelected(column, (ordinal) => selected.has(ordinal), bits);
    }
}

/** Sorts texts as terms; returns their former index as well. */
function sortTexts(list: readonly string[]): { ordinals: readonly number[]; terms: SortedTerms } {

    const texts = list.map((text, ordinal) => ({ ordinal, bytes: encodeText(text) })).sort((a, b) => compareBytes(a.bytes, b.bytes));
    const at = new Uint32Array(texts.length + 1);
    texts.forEach(({ bytes }, i) => {

        at[i + 1] = (at[i] ?? 0) + bytes.length;
    });
    return {
        ordinals: texts.map(({ ordinal }) => ordinal),
        terms: { bytes: Buffer.concat(texts.map(({ bytes }) => bytes)), starts: at, ends: at.subarray(1), count: texts.length }
    };
}

/** Timestamps sort like their text form, so the bounds are compared as text. */
function timestampsIn(column: DocValues, { low, high, includesLow, includesHigh }: RangeQuery): Ordinals {

    return {
        first: low === null ? 0 : column.firstNumber((time) => {

            const text = formatTimestamp(time);
            return includesLow ? text >= low : text > low;
        }),
        end: high === null ? column.numbers.length : column.firstNumber((time) => {

            const text = formatTimestamp(time);
            return includesHigh ? text > high : text >= high;
        })
    };
}

function decimalsIn(column: DocValues, range: RangeQuery): Ordinals {

    const [low, high] = [range.low, range.high].map((bound) => (bound === null ? null : parseNumber(bound)));
    if (low === undefined || high === undefined || Number.isNaN(low) || Number.isNaN(high)) {
        return { first: 0, end: 0 };
    }

    return numbersIn(column, { ...range, low, high });
}

interface NumberRange {
    readonly low: number | null;
    readonly high: number | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

function numbersIn(column: DocValues, { low, high, includesLow, includesHigh }: NumberRange): Ordinals {

    return {
        first: low === null ? 0 : column.firstNumber((value) => (includesLow ? value >= low : value > low)),
        end: high === null ? column.numbers.length : column.firstNumber((value) => (includesHigh ? value > high : value >= high))
    };
}

function rangeTest({ low, high, includesLow, includesHigh }: NumberRange): (value: number) => boolean {

    return (value) => !Number.isNaN(value) && (low === null || (includesLow ? value >= low : value > low)) &&
        (high === null || (includesHigh ? value <= high : value < high));
}

function parseNumber(text: string): number {

    return NUMBER.test(text) ? Number(text) : NaN;
}

/** Adds the documents with a value in a range of ordinals. */
function addRange(column: DocValues, { first, end }: Ordinals, bits: Bits): void {

    if (first >= end) {
        return;
    }

    const { dense, pairDocuments, pairOrdinals } = column;
    if (dense) {
        addOrdinals(dense, first, end - first, bits);
    }

    for (let i = 0; i < pairDocuments.length; ++i) {
        const ordinal = pairOrdinals[i] as number;
        if (ordinal >= first && ordinal < end) {
            setBit(bits, pairDocuments[i] as number);
        }
    }
}

/** Adds documents with one of `count` ordinals from `first` on. Ranks are ordinals plus one; 0 (none) wraps around and never matches. */
function addOrdinals(docOrdinals: DocOrdinals, first: number, count: number, bits: Bits): void {

    const least = first + 1;
    for (let word = 0; word < bits.length; ++word) {
        const start = word * 32;
        const end = Math.min(start + 32, docOrdinals.length);
        let found = 0;
        for (let document = start; document < end; ++document) {
            found |= Number(((docOrdinals[document] as number) - least >>> 0) < count) << (document & 31);
        }

        bits[word] = (bits[word] as number) | found;
    }
}

/** Adds the documents with a value whose ordinal passes the test, which is called once for each distinct value. */
function addSelected(column: DocValues, test: (ordinal: number) => boolean, bits: Bits): void {

    const selected = emptyBits(column.count);
    let any = false;
    for (let ordinal = 0; ordinal < column.count; ++ordinal) {
        if (test(ordinal)) {
            setBit(selected, ordinal);
            any = true;
        }
    }

    if (!any) {
        return;
    }

    const { dense, pairDocuments, pairOrdinals } = column;
    for (let document = 0; dense && document < dense.length; ++document) {
        const docOrdinal = dense[document] as number;
        if (docOrdinal !== 0 && hasBit(selected, docOrdinal - 1)) {
            setBit(bits, document);
        }
    }

    for (let i = 0; i < pairDocuments.length; ++i) {
        if (hasBit(selected, pairOrdinals[i] as number)) {
            setBit(bits, pairDocuments[i] as number);
        }
    }
}
