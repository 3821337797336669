/**
 * Objects and queries made at random, from a seed: few words, so that queries find something, in all the forms that content takes.
 */

import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { Acl } from '../../lib/doip/digital-object.js';
import { FULL_ACCESS } from '../../lib/search/matching/acl-filter.js';
import type { IndexDocument, LanguageMark } from '../../lib/search/mapping/index-document.js';
import type { SearchRequest } from '../../lib/search/query/search-request.js';
import type { SearchAccess, TypeAccess } from '../../lib/search/query/search-access.js';

const WORDS = [
    'tess', 'Tess', 'durbeyfield', 'hardy', 'hardi', 'family', 'poverty', 'family-tree', 'foo', 'bar', 'foo_bar', 'naïve', 'Ärzte', '東京', 'd\'arc',
    '20.5000', '2004', '5', '42', 'x', 'xy', 'yx', 'report', 'reports', 'reporter', '😀', 'null', 'true'
];
const INFLECTED = ['house', 'houses', 'Häuser', 'Haus', 'die', 'the', 'maison', 'maisons', 'l\'homme', 'hommes', 'report', 'reports'];
const LANGUAGES = ['en', 'de', 'fr', null] as const;
const TYPES = ['Document', 'Book', 'book', 'Digital Specimen'];
const PEOPLE = ['test/u1', 'test/u2', 'test/U2', 'test/g1', 'test/g2'];
const ENTRIES = [...PEOPLE, 'public', 'authenticated', 'creator', 'self', 'missing'];

/** Numbers below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {

    let state = seed;
    return () => {

        state = state + 0x6d2b79f5 | 0;
        let mixed = Math.imul(state ^ state >>> 15, 1 | state);
        mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
        return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296;
    };
}

export class SearchCorpus {

    readonly #random: () => number;
    readonly #words: readonly string[];
    readonly #hasLanguages: boolean;
    #txnId = 0;

    /** @param options `hasLanguages`: texts have forms of words in languages, which most objects name */
    constructor(seed: number, { hasLanguages = false } = {}) {

        this.#random = randomFrom(seed);
        this.#hasLanguages = hasLanguages;
        this.#words = hasLanguages ? [...WORDS, ...INFLECTED, ...INFLECTED] : WORDS;
    }

    /** A number from 0, below the limit. */
    below(limit: number): number {

        return Math.floor(this.#random() * limit);
    }

    pick<T>(list: readonly T[]): T {

        return list[this.below(list.length)] as T;
    }

    /** True once in so many times. */
    once(times: number): boolean {

        return this.below(times) === 0;
    }

    document(id: string): IndexDocument {

        const createdOn = 1_700_000_000_000 + this.below(20) * 86_400_000;
        const rights = this.once(4) ? null : this.#acl();
        return {
            id,
            type: this.pick(TYPES),
            content: this.#content(),
            rights,
            acl: this.once(5) ? this.#acl() : rights,
            userMetadata: this.once(3) ? { note: this.#text(3) } : null,
            metadata: {
                createdOn, createdBy: this.pick(PEOPLE), modifiedOn: createdOn + this.below(3), modifiedBy: this.pick(PEOPLE), txnId: ++this.#txnId,
                ...this.once(10) ? { isVersion: true, versionOf: 'test/1' } : {}
            },
            elements: this.once(3) ? [{
                name: this.pick(['scan', 'a_b', '/title']), filename: this.once(2) ? `${this.pick(this.#words)}.png` : null,
                mediaType: this.pick([null, 'image/png', 'text/plain']), size: this.below(100), text: this.once(2) ? this.#text(4) : null,
                altField: this.once(3) ? this.pick(['full', '/title']) : null
            }] : [],
            keywords: this.once(5) ? { username: [this.pick(PEOPLE)], users: [this.pick(PEOPLE), this.pick(PEOPLE)] } : {},
            ...this.#hasLanguages ? { languages: this.#languages() } : {},
            copies: this.once(4) ? [{ field: this.pick(['label', '/n']), value: this.pick([this.#text(2), this.below(9), true, null]), ...this.#hasLanguages ? { language: this.pick(LANGUAGES) } : {} }] : [],
            indexedOn: 1_800_000_000_000
        };
    }

    /** A query in the language. */
    query(depth = 2): string {

        if (depth > 0 && this.once(2)) {
            const clauses = Array.from({ length: 1 + this.below(3) }, () => {

                const inner = this.query(depth - 1);
                const sign = this.pick(['', '', '+', '-']);
                return `${sign}${this.once(2) ? `(${inner})` : inner.replace(/^[+-]/, '')}`;
            });
            return clauses.join(this.pick([' ', ' ', ' AND ', ' OR ']));
        }

        return this.#leaf() + (this.once(8) ? '^2.5' : '');
    }

    request(overrides: Partial<SearchRequest> = {}): SearchRequest {

        const fields = ['/title', '/n', '/tags/_', '/date', '/mixed', 'type', 'id', 'metadata/createdOn', 'createdBy', 'objmodified', 'txnId', '/none', 'aclRead'];
        return {
            query: this.query(),
            filterQueries: this.once(3) ? [this.query(1)] : [],
            sort: Array.from({ length: this.below(3) }, () => ({ field: this.pick(fields), reverse: this.once(2) })),
            facets: Array.from({ length: this.below(3) }, () => ({ field: this.pick(fields), maxBuckets: 1 + this.below(20) })),
            start: this.once(3) ? this.below(10) : 0,
            limit: this.pick([null, 0, 1, 5, 1000]),
            includeScore: this.once(2),
            includeVersions: this.once(3),
            access: this.access(),
            ...overrides
        };
    }

    access(): SearchAccess {

        if (this.once(3)) {
            return FULL_ACCESS;
        }

        const userId = this.pick([null, ...PEOPLE]);
        return {
            all: false, userId,
            entries: ['public', ...userId === null ? [] : ['authenticated', userId], ...this.once(2) ? ['test/g1'] : []],
            defaults: this.#typeAccess(),
            types: TYPES.filter(() => this.once(2)).map((type) => [type, this.#typeAccess()])
        };
    }

    #leaf(): string {

        const word = this.pick(this.#words);
        const field = this.pick(['', '', '', '/title:', '/tags/_:', '/mixed:', '/n:', '/nested/deep/x:', 'metadata/createdBy:', 'userMetadata/note:', 'scan:', 'full:', 'label:']);
        switch (this.below(15)) {
            case 0:
                return `${field}"${word} ${this.pick(this.#words)}"`;
            case 1:
                return `${field}"${word} ${this.pick(this.#words)} ${this.pick(this.#words)}"~${this.below(6)}`;
            case 2:
                return `${field}${word.slice(0, 2)}*`;
            case 3:
                return `${field}*${word.slice(-2)}`;
            case 4:
                return `${field}${word.slice(0, 1)}?${word.slice(2, 3)}*${word.slice(4, 5)}`;
            case 5:
                return `${field}${word}~${this.pick(['', '1', '2'])}`;
            case 6:
                return `${this.pick(['/n:', '/mixed:', 'txnId:', 'metadata/createdOn:'])}${this.pick(['[', '{'])}${this.pick(['*', '-5', '2', '5.5'])} TO ` +
                    `${this.pick(['*', '7', '42', '1700500000000'])}${this.pick([']', '}'])}`;
            case 7:
                return `${field}[${this.pick(['*', 'a', 'foo', '東'])} TO ${this.pick(['*', 'foo', 'reports', 'z'])}}`;
            case 8:
                return `/date:${this.pick(['[', '{'])}${this.pick(['*', '2004-01-01', '2004-05', '2004-05-01', '2004-06-01T00:00:00Z'])} TO ` +
                    `${this.pick(['*', '2004-05', '2004-05-01', '2004-12', '2005-01-01T12:00:00+02:00'])}${this.pick([']', '}'])}`;
            case 9:
                return this.pick(['/title:*', '/empty:*', '/mixed:*', '/mixed:null', '/n:[* TO *]', '/none:*', 'users:*', '*:*', 'objcreated:*', 'scan:*']);
            case 10:
                return this.pick(['type:book', 'type:"digital specimen"', 'type:d*', 'id:test/1*', 'aclRead:missing', 'aclWrite:test/u2', 'username:test/u1',
                    'elname_scan:true', 'elatt_scan_mimetype:image/png', 'elatt_scan_mimetype:plain', 'elatt_scan_internal.size:[5 TO 40]', 'isVersion:true', 'acl/readers/_:public', 'createdBy:test/u2']);
            case 11:
                return this.pick(['objcreated:[20231115 TO 20231120]', 'objmodified:20231114221320000', 'objcreated:202311*', 'txnId:5', 'txnId:1?', 'objcreated:[* TO 2023-11-20]', 'objmodified:{2023-11-15 TO *]']);
            case 12:
                return this.pick(['facet_type:"Digital Specimen"', 'facet_/n:5', 'facet_/tags/_:"tess foo"', 'facet_createdBy:"test/U2"', 'facet_/empty:""']);
            default:
                return `${field}${word}`;
        }
    }

    #content(): JsonObject {

        const content: JsonObject = {};
        const set = (name: string, value: () => JsonValue): void => {

            if (!this.once(3)) {
                content[name] = value();
            }
        };

        set('title', () => this.#text(5));
        set('n', () => this.pick([2, 5, 5.5, 10, -3, 42, 1e21]));
        set('tags', () => Array.from({ length: this.below(4) }, () => this.#text(2)));
        set('mixed', () => this.pick<JsonValue>(['5', 5, null, true, 'x y', '', ['a', 5, 'Tess'], 'ÄRZTE', '2004']));
        set('date', () => this.pick(['2004-05-01', '2004-05-01T10:00:00Z', '2005-01-01T00:00:00.5+02:00', 'not a date', '2004']));
        set('empty', () => '');
        set('nested', () => ({ deep: { x: this.#text(1), 'a/b': [[1, 'foo'], []] }, none: {} }));
        return content;
    }

    #languages(): LanguageMark[] {

        return Array.from({ length: this.below(4) }, () => ({ pointer: this.pick(['', '', '/title', '/tags', '/tags/1', '/nested']), language: this.pick(LANGUAGES) }));
    }

    #text(words: number): string {

        return Array.from({ length: 1 + this.below(words) }, () => this.pick(this.#words)).join(' ');
    }

    #acl(): Acl {

        const list = (): string[] => Array.from({ length: this.below(3) }, () => this.pick(ENTRIES));
        return {
            ...this.once(3) ? {} : { readers: list() },
            ...this.once(3) ? {} : { writers: list() },
            ...this.once(3) ? { payloadReaders: list() } : {}
        };
    }

    #typeAccess(): TypeAccess {

        const admission = () => ({ caller: this.once(3), creator: this.once(3), self: this.once(3) });
        return {
            read: admission(), write: admission(), payload: this.once(2) ? null : admission(),
            search: this.once(3) ? { ...admission(), writers: this.once(2) } : null
        };
    }
}
