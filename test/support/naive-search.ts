/**
 * The same answers as the search engine's, found by looking at every object: slow, simple, and without anything in common with the
 * engine but the reading of queries, the list of fields and the segmentation of text.
 */

import type { SearchAccess, TypeAccess } from '../../lib/search/access.js';
import { analyse, compareText, cutAt, keywordOf, MAX_VALUE_LENGTH } from '../../lib/search/analysis.js';
import { isNumberField, resolveColumn } from '../../lib/search/field-names.js';
import { describeFields } from '../../lib/search/fields.js';
import type { IndexDocument } from '../../lib/search/index-document.js';
import type { FieldTarget, PhraseQuery, Query, RangeQuery } from '../../lib/search/query.js';
import type { PatternPart } from '../../lib/search/query-syntax.js';
import { allOf, MATCH_ALL } from '../../lib/search/query.js';
import { readQueryJson } from '../../lib/search/query-json.js';
import { readQuery } from '../../lib/search/rewrite.js';
import type { SearchRequest, SortField } from '../../lib/search/search-request.js';
import { formatTimestamp, parseTime } from '../../lib/search/times.js';

type Value = string | number;

interface Word {
    readonly term: string;
    readonly position: number;
}

/** One object, taken apart. */
interface Parts {
    readonly document: IndexDocument;
    readonly words: Map<string, Word[]>;
    readonly keywords: Map<string, string[]>;
    readonly values: Map<string, Value[]>;
}

export interface NaiveResult {
    readonly size: number;
    /** In order; empty when the order is by score. */
    readonly ids: readonly string[];
    readonly matching: ReadonlySet<string>;
    readonly facets: readonly { readonly field: string; readonly buckets: readonly { readonly value: string; readonly count: number }[] }[];
}

/** Looks at every document. */
export function naiveSearch(documents: Iterable<IndexDocument>, request: SearchRequest): NaiveResult {

    const query = allOf([
        request.query === null ? MATCH_ALL : readQuery(request.query),
        request.queryJson === undefined ? MATCH_ALL : readQueryJson(request.queryJson),
        ...request.filterQueries.map(readQuery)
    ]);
    const found: Parts[] = [];
    for (const document of documents) {
        const { access } = request;
        const isWanted = request.includeVersions || document.metadata.isVersion !== true;
        if (isWanted && mayRead(document, access)) {
            const parts = takeApart(document, mayReadPayloads(document, access));
            if (matches(query, parts)) {
                found.push(parts);
            }
        }
    }

    const byScore = request.sort.length === 0 || request.sort.some(({ field }) => field === 'score');
    const end = request.limit === null ? undefined : request.start + request.limit;
    const sorted = byScore ? [] : found.toSorted((a, b) => compareParts(a, b, request.sort)).slice(request.start, end);
    return {
        size: found.length,
        matching: new Set(found.map(({ document }) => document.id)),
        ids: sorted.map(({ document }) => document.id),
        facets: request.facets.map(({ field, maxBuckets }) => ({ field, buckets: countValues(found, field).slice(0, maxBuckets) }))
    };
}

function takeApart(document: IndexDocument, withPayloads: boolean): Parts {

    const parts: Parts = { document, words: new Map(), keywords: new Map(), values: new Map() };
    const add = <T>(map: Map<string, T[]>, field: string, ...values: T[]): void => {

        map.set(field, [...map.get(field) ?? [], ...values]);
    };

    const visible = withPayloads ? document : { ...document, elements: document.elements.map((element) => ({ ...element, text: null })) };
    describeFields(visible, {
        text(field, text) {

            const words = analyse(text);
            const start = (parts.words.get(field)?.at(-1)?.position ?? -20_000) + 20_000;
            add(parts.words, field, ...words.map(({ term, position }) => ({ term, position: start + position })));
        },
        keyword: (field, value) => add(parts.keywords, field, keywordOf(value)),
        value: (column, value) => add(parts.values, column, typeof value === 'number' ? value : cutAt(value, MAX_VALUE_LENGTH)),
        principal() {}
    });
    return parts;
}

function matches(query: Query, parts: Parts): boolean {

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
                query.target.kind === 'value' ? valuesOf(parts, query.target.column).length > 0 : termsOf(parts, query.target).length > 0;
        case 'term':
            return termsOf(parts, query.target).includes(query.term);
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

function valuesOf(parts: Parts, column: string): readonly Value[] {

    return parts.values.get(column) ?? [];
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
            const bounds = { ...range, low: low === null ? null : parseTime(low), high: high === null ? null : parseTime(high) };
            return values.some((value) => {

                const time = typeof value === 'string' ? parseTime(value) : null;
                return time !== null && isWithin(time, bounds);
            });
        }

        const texts = target.fields.filter((field) => !isNumberField(field));
        return termsOf(parts, { ...target, fields: texts }).some((term) => isWithin(term, range));
    }

    return termsOf(parts, target).some((term) => isWithin(term, range));
}

function isNumber(text: string | null): boolean {

    return text === null || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text);
}

function isTime(text: string | null): boolean {

    return text === null || parseTime(text) !== null;
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

    const distance = table[from.length]![to.length]!;
    return distance === 0 || distance <= edits && distance < Math.min(from.length, to.length);
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

function compareParts(a: Parts, b: Parts, sort: readonly SortField[]): number {

    for (const { field, reverse } of sort) {
        const [left, right] = [a, b].map((parts) => valuesOf(parts, resolveColumn(field))[0]);
        const difference = compareOptional(left, right);
        if (difference !== 0) {
            return reverse ? -difference : difference;
        }
    }

    return a.document.metadata.txnId - b.document.metadata.txnId || compareText(a.document.id, b.document.id);
}

function compareOptional(a: Value | undefined, b: Value | undefined): number {

    if (a === undefined || b === undefined) {
        return Number(a !== undefined) - Number(b !== undefined);
    }

    if (typeof a === 'number' || typeof b === 'number') {
        return typeof a === typeof b ? Number(a) - Number(b) : typeof a === 'number' ? -1 : 1;
    }

    return compareText(a, b);
}

function countValues(found: readonly Parts[], field: string): { value: string; count: number }[] {

    const counts = new Map<string, number>();
    for (const parts of found) {
        for (const value of new Set(valuesOf(parts, resolveColumn(field)))) {
            counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
        }
    }

    return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || compareText(a.value, b.value));
}

/** The rules of access, read entry by entry. */
function mayRead(document: IndexDocument, access: SearchAccess): boolean {

    return access.all || mayWrite(document, access) || isListed(document, access, document.rights?.readers, 'read');
}

function mayWrite(document: IndexDocument, access: SearchAccess): boolean {

    return isListed(document, access, document.rights?.writers, 'write');
}

function mayReadPayloads(document: IndexDocument, access: SearchAccess): boolean {

    const { payload } = typeAccess(document, access);
    return access.all || mayWrite(document, access) ||
        (document.rights?.payloadReaders || payload ? isListed(document, access, document.rights?.payloadReaders, 'payload') : mayRead(document, access));
}

function typeAccess({ type }: IndexDocument, { types, defaults }: SearchAccess): TypeAccess {

    return types.find(([name]) => name === type)?.[1] ?? defaults;
}

function isListed(document: IndexDocument, access: SearchAccess, list: readonly string[] | undefined, kind: keyof TypeAccess): boolean {

    const isCreator = document.metadata.createdBy === access.userId;
    const isSelf = document.id === access.userId;
    if (list) {
        return list.some((entry) => access.entries.includes(entry) || entry === 'creator' && isCreator || entry === 'self' && isSelf);
    }

    const admission = typeAccess(document, access)[kind];
    return admission !== null && (admission.caller || admission.creator && isCreator || admission.self && isSelf);
}
