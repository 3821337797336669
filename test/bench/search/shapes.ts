/**
 * The shapes of queries that are measured, five variants of each, in the language of the service and for the program with Lucene.
 */

import { FULL_ACCESS } from '../../../lib/search/matching/acl-filter.js';
import type { SearchRequest } from '../../../lib/search/query/search-request.js';
import { userId, word } from './corpus.js';
import type { SearchAccess } from '../../../lib/search/query/search-access.js';

/** One kind of search. */
export interface Shape {
    readonly name: string;
    /** Not every shape is asked in everyday use; the program with Lucene is allowed to be better at some. */
    readonly kind: 'ordinary' | 'rare' | 'fuzzy';
    readonly requests: readonly SearchRequest[];
}

const VARIANTS = [0, 1, 2, 3, 4];

/** Results of a page. */
export const PAGE = 10;

const BY_DATE = [{ field: '/date', reverse: true }];
const FACETS = [{ field: 'type', maxBuckets: 10 }, { field: '/year', maxBuckets: 10 }];

/** Four principals of a thousand: the caller and three groups. */
function member(variant: number): SearchAccess {

    const entries = [0, 1, 2, 3].map((i) => userId(variant * 10 + i));
    const nothing = { caller: false, creator: false, self: false };
    return {
        all: false, entries: ['public', 'authenticated', ...entries], userId: entries[0] ?? '', types: [],
        defaults: { read: nothing, write: nothing, payload: null, search: null }
    };
}

function request(query: string, more: Partial<SearchRequest> = {}): SearchRequest {

    return {
        query, filterQueries: [], sort: [], facets: [], start: 0, limit: PAGE, includeScore: false, includeVersions: false, access: FULL_ACCESS, ...more
    };
}

function shape(name: string, make: (variant: number) => SearchRequest, kind: Shape['kind'] = 'ordinary'): Shape {

    return { name, kind, requests: VARIANTS.map(make) };
}

const common = (variant: number): string => word(6 + variant);
const frequent = (variant: number): string => word(3 + variant);
const types = ['Article', 'Article', 'Book', 'Article', 'Book'];

/** The first two syllables; words differ in length. */
const prefix = (variant: number): string => word(40 + variant * 7).slice(0, 4);

/** Last letters; the fourth variant stands for some 30,000 words. */
const suffix = (variant: number): string => (variant === 3 ? 'o' : word(60 + variant * 11).slice(-3));

/** A word with its third letter wrong. */
const misspelt = (variant: number): string => word(2000 + variant * 31).replace(/^(..)./, '$1z');

/** All shapes, in the order in which they are shown. */
export const SHAPES: readonly Shape[] = [
    shape('term, rare', (i) => request(`/abstract:${word(5000 + i * 17)}`), 'rare'),
    shape('term, common', (i) => request(`/abstract:${common(i)}`)),
    shape('AND of two', (i) => request(`/abstract:(${word(10 + i)} AND ${word(100 + i * 3)})`)),
    shape('OR of three, top 10 by score', (i) => request(`/abstract:(${word(40 + i)} ${word(60 + i)} ${word(100 + i)})`)),
    shape('common NOT other', (i) => request(`/abstract:(${common(i)} NOT ${word(30 + i)})`)),
    shape('phrase of two', (i) => request(`/abstract:"${word(2 + i)} ${word(8 + i)}"`)),
    shape('prefix `abc*`', (i) => request(`/title:${prefix(i)}*`)),
    shape('leading wildcard `*xyz`', (i) => request(`/abstract:*${suffix(i)}`)),
    shape('fuzzy `word~1`', (i) => request(`/abstract:${misspelt(i)}~1`), 'fuzzy'),
    shape('numeric range', (i) => request(`/year:[${1985 + i} TO ${1993 + i}]`)),
    shape('`*:*` by date, page 0', () => request('*:*', { sort: BY_DATE })),
    shape('`*:*` by date, page 1000', (i) => request('*:*', { sort: BY_DATE, start: (1000 - i) * PAGE })),
    shape('common type by date', (i) => request(`type:${types[i]}`, { sort: BY_DATE })),
    shape('facets type and year, broad', (i) => request(`/abstract:${frequent(i)}`, { facets: FACETS })),
    shape('count, OR of frequent', (i) => request(`/abstract:(${word(i)} ${word(i + 1)} ${word(i + 2)})`, { limit: 0 })),
    shape('term in any field', (i) => request(word(12 + i))),
    shape('member: term, common', (i) => request(`/abstract:${common(i)}`, { access: member(i) })),
    shape('member: type by date', (i) => request(`type:${types[i]}`, { sort: BY_DATE, access: member(i) })),
    shape('member: facets', (i) => request(`/abstract:${frequent(i)}`, { facets: FACETS, access: member(i) })),
    shape('member: `*:*` by date', (i) => request('*:*', { sort: BY_DATE, access: member(i) }))
];
