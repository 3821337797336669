/** Translates queries to the query language of OpenSearch. What the terms of a document are is defined by engine-document.ts. */

import { stemOf, stemTerm } from '../analysis/stemmer.js';
import type { FieldTarget, NumberForm } from '../analysis/field-names.js';
import { timeBounds } from '../analysis/timestamps.js';
import { MAX_VALUE_LENGTH } from '../analysis/analyzer.js';
import { TEXT_LANGUAGES } from '../../model/text-language.js';
import type { ExistsQuery, FuzzyQuery, PatternQuery, PhraseQuery, Query, RangeQuery, TermQuery, ValueQuery } from '../query/query.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { ANY_CODE, codeOf, facetField, numberKey, textKey, tokenOf } from './encoding.js';
import { longField } from './engine-document.js';
import type { WordField } from './engine-document.js';

/** A query of OpenSearch. */
export type EngineQuery = Readonly<Record<string, unknown>>;

export const ALL: EngineQuery = { match_all: {} };
export const NONE: EngineQuery = { match_none: {} };

/** Behind all terms with a code. */
const AFTER = '\u{10ffff}';

/** Maximum number of optional clauses that are scored one by one. */
const MAX_SCORED = 100;

/** A field with terms behind a code. */
interface CodedField {
    readonly field: string;
    readonly code: string;
}

/** Returns whether a query looks into the texts of payloads. */
export function readsPayloads(query: Query): boolean {

    switch (query.kind) {
        case 'boolean':
            return [...query.must, ...query.should, ...query.not].some(readsPayloads);
        case 'all':
        case 'none':
        case 'value':
            return false;
        default:
            return query.target.kind === 'any' || query.target.kind === 'text';
    }
}

/** Translates a query; without payloads, their texts do not exist. */
export function translateQuery(query: Query, withPayloads: boolean): EngineQuery {

    return new Translator(withPayloads).translate(query);
}

class Translator {

    readonly #withPayloads: boolean;

    constructor(withPayloads: boolean) {

        this.#withPayloads = withPayloads;
    }

    translate(query: Query): EngineQuery {

        switch (query.kind) {
            case 'all':
                return { match_all: { boost: query.boost } };
            case 'none':
                return NONE;
            case 'boolean': {
                const { must, should, not } = query;
                const list = (queries: readonly Query[]): EngineQuery[] => queries.map((clause) => this.translate(clause));
                return must.length === 0 && should.length === 0 ? NONE : {
                    bool: { must: list(must), should: this.#should(should), must_not: list(not), minimum_should_match: must.length > 0 ? 0 : 1 }
                };
            }

            case 'value':
                return valueQuery(query);
            case 'term':
                return this.#term(query);
            case 'phrase':
                return this.#phrase(query);
            case 'exists':
                return this.#exists(query);
            default:
                return this.#expanded(query);
        }
    }

    /** Fields with the words of a target. */
    #wordFields(target: FieldTarget): { readonly field: WordField; readonly code: string }[] {

        if (target.kind === 'any') {
            return (this.#withPayloads ? ['all', 'hiddenAll'] as const : ['all'] as const).map((field) => ({ field, code: ANY_CODE }));
        }

        if (target.kind !== 'text') {
            return [];
        }

        const code = codeOf('word', target.column);
        return (this.#withPayloads ? ['words', 'others', 'hidden'] as const : ['words', 'others'] as const).map((field) => ({ field, code }));
    }

    /** Fields with the terms of a target, for patterns. */
    #termFields(target: FieldTarget): CodedField[] {

        switch (target.kind) {
            case 'keyword':
                return [{ field: 'keys', code: codeOf('keyword', target.field) }];
            case 'number':
                return [{ field: 'stamps', code: codeOf('column', target.column) }];
            default:
                return this.#wordFields(target).flatMap(({ field, code }) => [{ field, code }, { field: longField(field), code }]);
        }
    }

    /** The engine limits the number of clauses, so many words become one clause for each field, without scores of their own. */
    #should(queries: readonly Query[]): EngineQuery[] {

        if (queries.length <= MAX_SCORED) {
            return queries.map((query) => this.translate(query));
        }

        const values = new Map<string, { readonly field: string; readonly boost: number; readonly terms: Set<string> }>();
        const rest: EngineQuery[] = [];
        for (const query of queries) {
            if (query.kind !== 'term') {
                rest.push(this.translate(query));
                continue;
            }

            for (const { field, terms } of this.#terms(query)) {
                const all = getOrAdd(values, `${field} ${query.boost}`, () => ({ field, boost: query.boost, terms: new Set<string>() }));
                terms.forEach((term) => all.terms.add(term));
            }
        }

        return [...rest, ...Array.from(values.values(), ({ field, boost, terms }) => ({ terms: { [field]: [...terms], boost } }))];
    }

    #term(query: TermQuery): EngineQuery {

        const { boost } = query;
        return anyOf(this.#terms(query).map(({ field, terms: [value = '', ...others] }) => {

            return others.length === 0 ? { term: { [field]: { value, boost } } } : { terms: { [field]: [value, ...others], boost } };
        }));
    }

    /** The terms of the engine that a word stands for, by field. */
    #terms({ target, term, includesStems = false }: TermQuery): { readonly field: string; readonly terms: readonly string[] }[] {

        if (target.kind === 'keyword' || target.kind === 'number') {
            return this.#termFields(target).map(({ field, code }) => ({ field, terms: [code + term.toWellFormed()] }));
        }

        const words = this.#wordFields(target);
        const stems = includesStems && words.length > 0 ? stemsOf(words[0]?.code ?? '', term) : [];
        return [
            ...words.map(({ field, code }) => ({ field, terms: [tokenOf(code, term)] })),
            ...(stems.length === 0 ? [] : this.#withPayloads ? ['stems', 'hiddenStems'] : ['stems']).map((field) => ({ field, terms: stems }))
        ];
    }

    #phrase({ target, words, slop, boost }: PhraseQuery): EngineQuery {

        return anyOf(this.#wordFields(target).map(({ field, code }) => ({
            match_phrase: { [field]: { query: words.map(({ term }) => tokenOf(code, term)).join(' '), slop, analyzer: 'whitespace', boost } }
        })));
    }

    #exists({ target, boost }: ExistsQuery): EngineQuery {

        switch (target.kind) {
            case 'any':
            case 'constant':
                return { match_all: { boost } };
            case 'number':
            case 'value':
                return { term: { columns: { value: codeOf('column', target.column), boost } } };
            case 'keyword':
                return { term: { names: { value: codeOf('keyword', target.field), boost } } };
            case 'text': {
                const value = codeOf('word', target.column);
                return anyOf((this.#withPayloads ? ['names', 'hiddenNames'] : ['names']).map((field) => ({ term: { [field]: { value, boost } } })));
            }
        }
    }

    #expanded(leaf: PatternQuery | FuzzyQuery | RangeQuery): EngineQuery {

        if (leaf.kind === 'range') {
            return this.#range(leaf);
        }

        return anyOf(this.#termFields(leaf.target).map((field) => (leaf.kind === 'pattern' ? patternQuery(leaf, field) : fuzzyQuery(leaf, field))));
    }

    #range(range: RangeQuery): EngineQuery {

        const { target } = range;
        switch (target.kind) {
            case 'number':
                return numberTargetRange(range, target);
            case 'text': {
                const column = columnRange(range, target.column);
                if (column?.isOnly) {
                    return column.query;
                }

                const words = this.#termFields(target).filter(({ field }) => field !== 'others' && field !== longField('others'));
                return anyOf([...column ? [column.query] : [], ...words.map((field) => termRange(range, field))]);
            }

            default:
                return anyOf(this.#termFields(target).map((field) => termRange(range, field)));
        }
    }
}

function anyOf(queries: readonly EngineQuery[]): EngineQuery {

    const [first, ...rest] = queries;
    return rest.length === 0 ? first ?? NONE : { bool: { should: queries, minimum_should_match: 1 } };
}

/** Returns the terms of words with the same stem, in all languages. */
function stemsOf(code: string, term: string): string[] {

    return TEXT_LANGUAGES.flatMap((language) => {

        const stem = stemOf(term, language);
        return stem === null ? [] : [code + stemTerm(stem, language)];
    });
}

function valueQuery({ column, value, boost }: ValueQuery): EngineQuery {

    const code = codeOf('column', column);
    return value.length > MAX_VALUE_LENGTH ? NONE : { term: { [facetField(code)]: { value: code + textKey(value), boost } } };
}

function patternQuery({ pattern, boost }: PatternQuery, { field, code }: CodedField): EngineQuery {

    const [first, second, third] = pattern;
    if (third === undefined && first && 'text' in first && second && 'wildcard' in second && second.wildcard === 'many') {
        return { prefix: { [field]: { value: code + first.text, boost } } };
    }

    const glob = pattern.map((part) => ('text' in part ? part.text.replaceAll(/[*?\\]/g, '\\$&') : { one: '?', many: '*' }[part.wildcard])).join('');
    return { wildcard: { [field]: { value: code + glob, boost } } };
}

/** The default way of counting would stop at some terms. */
function fuzzyQuery({ term, edits, boost }: FuzzyQuery, { field, code }: CodedField): EngineQuery {

    return { fuzzy: { [field]: { value: code + term, fuzziness: edits, prefix_length: code.length, transpositions: true, rewrite: 'constant_score', boost } } };
}

function termRange({ low, high, includesLow, includesHigh, boost }: RangeQuery, { field, code }: CodedField): EngineQuery {

    return {
        range: {
            [field]: {
                ...low === null ? { gte: code } : { [includesLow ? 'gte' : 'gt']: code + low },
                ...high === null ? { lt: code + AFTER } : { [includesHigh ? 'lte' : 'lt']: code + high },
                boost
            }
        }
    };
}

function numberTargetRange(range: RangeQuery, { column, form }: { readonly column: string; readonly form: NumberForm }): EngineQuery {

    const code = codeOf('column', column);
    if (form === 'timestamp') {
        return termRange(range, { field: 'stamps', code });
    }

    const bounds = numberBounds(range);
    return bounds ? termRange(bounds, { field: 'numbers', code }) : NONE;
}

/** Returns the query for values between numbers or times; `isOnly` when words do not count. Null when the bounds are neither. */
function columnRange(range: RangeQuery, column: string): { readonly query: EngineQuery; readonly isOnly: boolean } | null {

    const code = codeOf('column', column);
    const numbers = numberBounds(range);
    if (numbers) {
        return { query: termRange(numbers, { field: 'numbers', code }), isOnly: false };
    }

    const times = timeBounds(range);
    return times ? { query: termRange(keyRange(range, times), { field: 'times', code }), isOnly: true } : null;
}

/** Returns the range with the keys of its bounds; null when one of them is no number. */
function numberBounds(range: RangeQuery): RangeQuery | null {

    const [low = null, high = null] = [range.low, range.high].map((bound) => (bound === null ? null : parseNumber(bound)));
    return low !== null && Number.isNaN(low) || high !== null && Number.isNaN(high) ? null : keyRange(range, { ...range, low, high });
}

/** Returns the range with other bounds, as keys. */
function keyRange(
    range: RangeQuery, { low, high, includesLow, includesHigh }: Pick<RangeQuery, 'includesLow' | 'includesHigh'> & Readonly<Record<'low' | 'high', number | null>>
): RangeQuery {

    return { ...range, low: low === null ? null : numberKey(low), high: high === null ? null : numberKey(high), includesLow, includesHigh };
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function parseNumber(text: string): number {

    return NUMBER.test(text) ? Number(text) : NaN;
}
