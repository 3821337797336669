/**
 * Whether an object matches a query, by looking at each of its words.
 */

import { stemOf } from '../../lib/search/analysis/stemmer.js';
import { isNullField, isNumberField } from '../../lib/search/analysis/field-names.js';
import type { PhraseQuery, Query, RangeQuery } from '../../lib/search/query/query.js';
import type { PatternPart } from '../../lib/search/query/syntax-tree.js';
import { formatTimestamp, parseTime } from '../../lib/search/analysis/timestamps.js';
import { valuesOf, type Parts, type Value, type Word } from './naive-parts.js';
import type { FieldTarget } from '../../lib/search/analysis/field-names.js';

export function matches(query: Query, parts: Parts): boolean {

    switch (query.kind) {
        case 'all':
            return true;
        case 'none':
            return false;
        case 'boolean': {
            const { must, should, not } = query;
            return must.every((clause) => matches(clause, parts)) && !not.some((clause) => matches(clause, parts)) &&
                (must.length > 0 || should.some((clause) => matches(clause, parts)));
        }

        case 'value':
            return valuesOf(parts, query.column).some((value) => String(value) === query.value);
        case 'exists':
            return query.target.kind === 'number' ? valuesOf(parts, query.target.column).length > 0 :
                query.target.kind === 'value' ? valuesOf(parts, query.target.column).length > 0 : termsOf(parts, withoutNull(query.target)).length > 0;
        case 'term':
            return termsOf(parts, query.target).includes(query.term) ||
                query.includesStems === true && wordLists(parts, query.target).flat().some((word) => hasSameStem(word, query.term));
        case 'pattern':
            return termsOf(parts, query.target).some((term) => matchesPattern(query.pattern, term));
        case 'fuzzy':
            return termsOf(parts, query.target).some((term) => isSimilar(query.term, term, query.edits));
        case 'phrase':
            return wordLists(parts, query.target).some((words) => matchesPhrase(query, words));
        case 'range':
            return matchesRange(query, parts);
    }
}

function hasSameStem({ term, language }: Word, wanted: string): boolean {

    const stem = language && stemOf(term, language);
    return language !== null && stem !== null && stem === stemOf(wanted, language);
}

function wordLists(parts: Parts, target: FieldTarget): readonly Word[][] {

    if (target.kind === 'any') {
        return [...parts.words.values()];
    }

    return target.kind === 'text' ? target.fields.map((field) => parts.words.get(field) ?? []) : [];
}

function termsOf(parts: Parts, target: FieldTarget): string[] {

    switch (target.kind) {
        case 'keyword':
            return parts.keywords.get(target.field) ?? [];
        case 'number':
            return valuesOf(parts, target.column).map((value) => (target.form === 'decimal' ? String(value) : formatTimestamp(Number(value))));
        default:
            return wordLists(parts, target).flat().map(({ term }) => term);
    }
}

function matchesRange(range: RangeQuery, parts: Parts): boolean {

    const { target, low, high } = range;
    if (target.kind === 'number') {
        return termsOf(parts, target).some((text) => {

            return target.form === 'decimal' ? isNumber(low) && isNumber(high) && isWithin(Number(text), asNumbers(range)) : isWithin(text, range);
        });
    }

    if (target.kind === 'text') {
        const values = valuesOf(parts, target.column);
        if (isNumber(low) && isNumber(high)) {
            if (values.some((value) => typeof value === 'number' && isWithin(value, asNumbers(range)))) {
                return true;
            }
        }
        else if (isTime(low) && isTime(high)) {
            return values.some((value) => {

                const time = typeof value === 'string' ? parseTime(value) : null;
                return time !== null && isTimeWithin(time, range);
            });
        }

        const texts = target.fields.filter((field) => !isNumberField(field));
        return termsOf(parts, withoutNull({ ...target, fields: texts })).some((term) => isWithin(term, range));
    }

    return termsOf(parts, target).some((term) => isWithin(term, range));
}

/** Null is no value. */
function withoutNull(target: FieldTarget): FieldTarget {

    return target.kind === 'text' ? { ...target, fields: target.fields.filter((field) => !isNullField(field)) } : target;
}

function isNumber(text: string | null): boolean {

    return text === null || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text);
}

function isTime(text: string | null): boolean {

    return text === null || parseTime(/^\d{4}-\d\d$/.test(text) ? `${text}-01` : text) !== null;
}

/** A date or month is equal to each of its times. */
function isTimeWithin(time: number, { low, high, includesLow, includesHigh }: Bounds<string>): boolean {

    const order = (bound: string): number => {

        const period = new Date(Math.floor(time)).toISOString().slice(0, bound.length);
        return bound.includes('t') ? time - (parseTime(bound) ?? NaN) : period < bound ? -1 : Number(period > bound);
    };

    const [below, above] = [low === null ? 1 : order(low), high === null ? -1 : order(high)];
    return (below > 0 || includesLow && below === 0) && (above < 0 || includesHigh && above === 0);
}

function asNumbers(range: RangeQuery): Bounds<number> {

    return { ...range, low: range.low === null ? null : Number(range.low), high: range.high === null ? null : Number(range.high) };
}

interface Bounds<T> {
    readonly low: T | null;
    readonly high: T | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

function isWithin<T extends Value>(value: T, { low, high, includesLow, includesHigh }: Bounds<T>): boolean {

    const order = (a: T, b: T): number => (typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b));
    const [below, above] = [low === null ? 1 : order(value, low), high === null ? -1 : order(value, high)];
    return (below > 0 || includesLow && below === 0) && (above < 0 || includesHigh && above === 0);
}

function matchesPattern(pattern: readonly PatternPart[], term: string): boolean {

    const source = pattern.map((part) => {

        return 'text' in part ? part.text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') : { one: '.', many: '.*' }[part.wildcard];
    }).join('');
    return new RegExp(`^${source}$`, 'su').test(term);
}

/** Edits by the textbook: insert, delete, replace, swap neighbours. */
function isSimilar(a: string, b: string, edits: number): boolean {

    const [from, to] = [[...a], [...b]];
    const table = Array.from({ length: from.length + 1 }, (_, i) => Array.from({ length: to.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)));
    for (let i = 1; i <= from.length; ++i) {
        for (let j = 1; j <= to.length; ++j) {
            const same = from[i - 1] === to[j - 1] ? 0 : 1;
            let best = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, table[i - 1]![j - 1]! + same);
            if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
                best = Math.min(best, table[i - 2]![j - 2]! + 1);
            }

            table[i]![j] = best;
        }
    }

    return table[from.length]![to.length]! <= edits;
}

/** Tries every choice of positions. */
function matchesPhrase({ words, slop }: PhraseQuery, list: readonly Word[]): boolean {

    const choose = (index: number, taken: readonly number[], least: number, most: number): boolean => {

        const word = words[index];
        if (!word) {
            return true;
        }

        return list.some(({ term, position }) => {

            const place = position - word.position;
            const [low, high] = [Math.min(least, place), Math.max(most, place)];
            return term === word.term && !taken.includes(position) && high - low <= slop && choose(index + 1, [...taken, position], low, high);
        });
    };

    return choose(0, [], Infinity, -Infinity);
}
