/**
 * Matching by the whole values of a column: exact values, numbers, times.
 */

import { emptyBits, hasBit, setBit } from './bits.js';
import type { Bits } from './bits.js';
import type { Column } from './column.js';
import { compareBytes, encodeText } from './bytes.js';
import type { Deadline } from './deadline.js';
import { termsOfPattern } from './expand.js';
import { fuzzyTerms } from './fuzzy.js';
import type { SortedTerms } from './sorted-terms.js';
import { formatTimestamp, parseTime } from './times.js';
import type { FuzzyQuery, NumberForm, PatternQuery, RangeQuery, TermQuery } from './query.js';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A test of ordinals: from `first` up to `end`. */
interface Ordinals {
    readonly first: number;
    readonly end: number;
}

/** Adds the documents with a value that reads like the text. */
export function matchValue(column: Column | null, text: string, bits: Bits): void {

    if (!column) {
        return;
    }

    const ordinal = column.findText(text);
    if (ordinal !== -1) {
        addRange(column, { first: ordinal, end: ordinal + 1 }, bits);
    }

    const number = Number(text);
    if (String(number) === text) {
        addRange(column, numbersWithin(column, { low: number, high: number, includesLow: true, includesHigh: true }), bits);
    }
}

/**
 * Adds the documents with numbers or times in a range whose bounds are such. True when that is all: bounds that are times are
 * not compared with words. Numbers are, for the sake of texts that have numbers in them.
 */
export function matchColumnRange(column: Column | null, range: RangeQuery, bits: Bits): boolean {

    const [low, high] = [range.low, range.high].map((bound) => (bound === null ? null : parseNumber(bound)));
    if (low !== undefined && high !== undefined && !Number.isNaN(low) && !Number.isNaN(high)) {
        if (column) {
            addRange(column, numbersWithin(column, { ...range, low, high }), bits);
        }

        return false;
    }

    const [from, to] = [range.low, range.high].map((bound) => (bound === null ? null : parseTime(bound) ?? NaN));
    if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) {
        return false;
    }

    const times = column?.times;
    if (column && times) {
        const within = isWithin({ ...range, low: from, high: to });
        addSelected(column, (ordinal) => within(times[ordinal - column.numbers.length] ?? NaN), bits);
    }

    return true;
}

/** Adds the documents of a column of numbers whose text form matches. */
export function matchNumbers(
    column: Column | null, leaf: TermQuery | PatternQuery | FuzzyQuery | RangeQuery,
    { form, bits, deadline }: { readonly form: NumberForm; readonly bits: Bits; readonly deadline: Deadline }
): void {

    if (!column) {
        return;
    }

    const show = form === 'timestamp' ? formatTimestamp : String;
    if (leaf.kind === 'range') {
        addRange(column, form === 'timestamp' ? timestampsWithin(column, leaf) : decimalsWithin(column, leaf), bits);
    }
    else if (leaf.kind === 'term') {
        addSelected(column, (ordinal) => show(column.numbers[ordinal] ?? NaN) === leaf.term, bits);
    }
    else {
        const { texts, terms } = sortTexts(Array.from(column.numbers, (number) => show(number)));
        const found = leaf.kind === 'pattern' ?
            termsOfPattern(terms, leaf.pattern, deadline) : fuzzyTerms(terms, leaf.term, leaf.edits, deadline);
        const wanted = new Set(found.map((term) => texts[term]?.ordinal));
        addSelected(column, (ordinal) => wanted.has(ordinal), bits);
    }
}

/** Texts as sorted terms, and which of them each term was. */
function sortTexts(list: readonly string[]): { texts: { ordinal: number; bytes: Uint8Array }[]; terms: SortedTerms } {

    const texts = list.map((text, ordinal) => ({ ordinal, bytes: encodeText(text) })).sort((a, b) => compareBytes(a.bytes, b.bytes));
    const termAt = new Uint32Array(texts.length + 1);
    texts.forEach(({ bytes }, i) => {

        termAt[i + 1] = (termAt[i] ?? 0) + bytes.length;
    });
    const terms = Buffer.concat(texts.map(({ bytes }) => bytes));
    return {
        texts,
        terms: {
            terms, termAt, termCount: texts.length,
            lowerBound(bytes) {

                const found = texts.findIndex((text) => compareBytes(text.bytes, bytes) >= 0);
                return found === -1 ? texts.length : found;
            }
        }
    };
}

/** Timestamps sort like the times they show, so their texts can be compared. */
function timestampsWithin(column: Column, { low, high, includesLow, includesHigh }: RangeQuery): Ordinals {

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

function decimalsWithin(column: Column, range: RangeQuery): Ordinals {

    const [low, high] = [range.low, range.high].map((bound) => (bound === null ? null : parseNumber(bound)));
    if (low === undefined || high === undefined || Number.isNaN(low) || Number.isNaN(high)) {
        return { first: 0, end: 0 };
    }

    return numbersWithin(column, { ...range, low, high });
}

interface NumberRange {
    readonly low: number | null;
    readonly high: number | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

function numbersWithin(column: Column, { low, high, includesLow, includesHigh }: NumberRange): Ordinals {

    return {
        first: low === null ? 0 : column.firstNumber((value) => (includesLow ? value >= low : value > low)),
        end: high === null ? column.numbers.length : column.firstNumber((value) => (includesHigh ? value > high : value >= high))
    };
}

function isWithin({ low, high, includesLow, includesHigh }: NumberRange): (value: number) => boolean {

    return (value) => !Number.isNaN(value) && (low === null || (includesLow ? value >= low : value > low)) &&
        (high === null || (includesHigh ? value <= high : value < high));
}

function parseNumber(text: string): number {

    return NUMBER.test(text) ? Number(text) : NaN;
}

/** Adds the documents with a value of these ordinals. */
function addRange(column: Column, { first, end }: Ordinals, bits: Bits): void {

    if (first >= end) {
        return;
    }

    const { dense, pairDocuments, pairOrdinals } = column;
    for (let document = 0; dense && document < dense.length; ++document) {
        const ordinal = (dense[document] as number) - 1;
        if (ordinal >= first && ordinal < end) {
            setBit(bits, document);
        }
    }

    for (let i = 0; i < pairDocuments.length; ++i) {
        const ordinal = pairOrdinals[i] as number;
        if (ordinal >= first && ordinal < end) {
            setBit(bits, pairDocuments[i] as number);
        }
    }
}

/** Adds the documents with a value whose ordinal passes the test; it is asked once for every value. */
function addSelected(column: Column, test: (ordinal: number) => boolean, bits: Bits): void {

    const wanted = emptyBits(column.count);
    let any = false;
    for (let ordinal = 0; ordinal < column.count; ++ordinal) {
        if (test(ordinal)) {
            setBit(wanted, ordinal);
            any = true;
        }
    }

    if (!any) {
        return;
    }

    const { dense, pairDocuments, pairOrdinals } = column;
    for (let document = 0; dense && document < dense.length; ++document) {
        const rank = dense[document] as number;
        if (rank !== 0 && hasBit(wanted, rank - 1)) {
            setBit(bits, document);
        }
    }

    for (let i = 0; i < pairDocuments.length; ++i) {
        if (hasBit(wanted, pairOrdinals[i] as number)) {
            setBit(bits, pairDocuments[i] as number);
        }
    }
}
