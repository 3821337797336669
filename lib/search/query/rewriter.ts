/**
 * Rewrites the syntax tree to a query: resolves fields, analyses texts, and makes every clause required, optional or forbidden.
 *
 * AND and OR have no precedence. A clause after AND is required, and so is the one before it, unless it is forbidden; `+` and `-`
 * do the same to one clause. So `a AND b OR c` is `+a +b c`. A clause without words is dropped, after it has had its effect on the
 * one before it. A list of forbidden clauses alone matches everything else.
 */

import { badRequest } from '../../errors/errors.js';
import { analyse, keywordOf, TEXT_GAP } from '../analysis/analyzer.js';
import { timestampBounds } from '../analysis/timestamps.js';
import { rangeTarget, resolveField } from '../analysis/field-names.js';
import { parseQuery, queryError } from './parser.js';
import { MATCH_ALL, MATCH_NONE } from './query.js';
import type { Query } from './query.js';
import type { PatternPart, SyntaxBody, SyntaxClauses, SyntaxPhrase, SyntaxRange, SyntaxWord } from './syntax-tree.js';
import type { FieldTarget } from '../analysis/field-names.js';

/** Maximum number of words, phrases, ranges and patterns of a query. */
export const MAX_CLAUSES = 4096;

/** Maximum slop, below the gap between two texts, so that no phrase matches across them. */
const MAX_SLOP = TEXT_GAP - 2;

/** Maximum boost, so that sums of scores stay finite. */
const MAX_BOOST = 1e9;

/** Context of a clause. */
interface Scope {
    readonly target: FieldTarget;
    readonly boost: number;
}

/**
 * Parses and rewrites the text of a query. `*` means all objects.
 *
 * @throws DoipError 400 for an empty text, with the position of a syntax error, and when it has too many clauses
 */
export function readQuery(text: string): Query {

    if (text.trim() === '') {
        throw badRequest('Query parse failure: the query is empty');
    }

    return new Rewriter(text).clauses(parseQuery(text), { target: resolveField(null), boost: 1 }) ?? MATCH_NONE;
}

class Rewriter {

    readonly #source: string;
    #clauses = 0;

    constructor(text: string) {

        this.#source = text;
    }

    /** Returns null when no clause has words. */
    clauses(list: SyntaxClauses, scope: Scope): Query | null {

        const clauses: { occurs: 'must' | 'should' | 'not'; query: Query }[] = [];
        for (const { conjunction, modifier, body } of list.clauses) {
            const last = clauses.at(-1);
            if (last && conjunction === 'and' && last.occurs !== 'not') {
                last.occurs = 'must';
            }

            const query = this.#body(body, scope);
            if (query) {
                clauses.push({ occurs: modifier ?? (conjunction === 'and' ? 'must' : 'should'), query });
            }
        }

        const [only] = clauses;
        if (!only) {
            return null;
        }

        if (clauses.length === 1 && only.occurs !== 'not') {
            return only.query;
        }

        const having = (occurs: string): Query[] => clauses.filter((clause) => clause.occurs === occurs).map(({ query }) => query);
        const [must, should, not] = [having('must'), having('should'), having('not')];
        const isNegative = must.length === 0 && should.length === 0;
        return { kind: 'boolean', must: isNegative ? [{ ...MATCH_ALL, boost: scope.boost }] : must, should, not };
    }

    #body(body: SyntaxBody, outer: Scope): Query | null {

        const scope = {
            target: body.field === null ? outer.target : resolveField(body.field),
            boost: Math.min(outer.boost * Math.min(body.boost ?? 1, MAX_BOOST), MAX_BOOST)
        };
        switch (body.kind) {
            case 'group':
                return this.clauses(body.inner, scope);
            case 'phrase':
                return this.#phrase(body, scope);
            case 'range':
                return this.#range(body, scope);
            case 'word':
                return this.#word(body, scope);
        }
    }

    #word(word: SyntaxWord, scope: Scope): Query | null {

        const [first] = word.pattern;
        if (!first) {
            return null;
        }

        if (word.pattern.some((part) => 'wildcard' in part)) {
            return this.#pattern(word, scope);
        }

        const text = 'text' in first ? first.text : '';
        if (!word.fuzzy) {
            return this.#text(text, word.at, scope);
        }

        const edits = this.#edits(word.fuzzy, text);
        this.#count(word.at);
        const term = text.toLowerCase();
        return edits === 0 ? { kind: 'term', term, ...scope } : { kind: 'fuzzy', term, edits, ...scope };
    }

    #pattern(word: SyntaxWord, scope: Scope): Query {

        this.#count(word.at);
        if (!word.pattern.every((part) => 'wildcard' in part && part.wildcard === 'many')) {
            const patterns = lowerPattern(word.pattern).map((pattern): Query => ({ kind: 'pattern', pattern, ...scope }));
            const [first, second] = patterns;
            if (first && !second) {
                return first;
            }

            this.#count(word.at);
            return { kind: 'boolean', must: [], should: patterns, not: [] };
        }

        return scope.target.kind === 'any' ? { ...MATCH_ALL, boost: scope.boost } : { kind: 'exists', ...scope };
    }

    /** Unquoted text: matches any of its words. */
    #text(text: string, at: number, scope: Scope): Query | null {

        if (scope.target.kind !== 'any' && scope.target.kind !== 'text') {
            this.#count(at);
            return wholeValue(text, scope);
        }

        const words = analyse(text).map(({ term }): Query => {

            this.#count(at);
            return { kind: 'term', term, includesStems: true, ...scope };
        });
        const [first] = words;
        return words.length > 1 ? { kind: 'boolean', must: [], should: words, not: [] } : first ?? null;
    }

    #phrase(phrase: SyntaxPhrase, scope: Scope): Query | null {

        this.#count(phrase.at);
        const words = analysePhrase(phrase.text, scope, Math.min(Math.floor(phrase.slop ?? 0), MAX_SLOP));
        if (words?.kind === 'phrase') {
            words.words.forEach(() => this.#count(phrase.at));
        }

        return words;
    }

    #range({ low, high, includesLow, includesHigh, at }: SyntaxRange, scope: Scope): Query {

        this.#count(at);
        if (low !== null || high !== null) {
            const bounds = { low: low?.toLowerCase() ?? null, high: high?.toLowerCase() ?? null, includesLow, includesHigh };
            const target = rangeTarget(scope.target);
            const isOfTimestamps = target.kind === 'number' && target.form === 'timestamp';
            return { kind: 'range', ...bounds, ...isOfTimestamps ? timestampBounds(bounds) : {}, target, boost: scope.boost };
        }

        return scope.target.kind === 'any' ? { ...MATCH_ALL, boost: scope.boost } : { kind: 'exists', ...scope };
    }

    /** Returns the edit distance that a tilde allows: 2 without a number, at most 2; a number below 1 is a similarity. */
    #edits({ number, at }: { readonly number: number | null; readonly at: number }, text: string): number {

        if (number === null) {
            return 2;
        }

        if (number > 1 && !Number.isInteger(number)) {
            throw queryError(this.#source, at, 'the number of edits must be 0, 1 or 2, or a similarity below 1');
        }

        if (number >= 1 || number === 0) {
            return Math.min(number, 2);
        }

        return Math.min(Math.floor((1 - number) * [...text].length), 2);
    }

    #count(at: number): void {

        if (++this.#clauses > MAX_CLAUSES) {
            throw queryError(this.#source, at, `more than ${MAX_CLAUSES} clauses`);
        }
    }
}

/**
 * Returns a pattern in lower case: in two forms where a capital sigma is beside a wildcard, as it is another letter at the end of a word, and
 * only the words that match tell whether it is there.
 */
function lowerPattern(pattern: readonly PatternPart[]): PatternPart[][] {

    const lower = (toLower: (text: string, index: number) => string): PatternPart[] =>
        pattern.map((part, i) => ('text' in part ? { text: toLower(part.text, i) } : part));
    const within = lower((text, i) => (i < pattern.length - 1 ? `${text}x`.toLowerCase().slice(0, -1) : text.toLowerCase()));
    const atEnd = lower((text, i) => (i > 0 ? `x${text}`.toLowerCase().slice(1) : text.toLowerCase()));
    return JSON.stringify(within) === JSON.stringify(atEnd) ? [within] : [within, atEnd];
}

/** Quoted text: a phrase, or a whole value, depending on the field. Null when it has no words. */
export function analysePhrase(text: string, scope: Scope, slop: number): Query | null {

    if (scope.target.kind !== 'any' && scope.target.kind !== 'text') {
        return wholeValue(text, scope);
    }

    const words = analyse(text);
    const [first] = words;
    if (words.length > 1) {
        return { kind: 'phrase', words, slop, ...scope };
    }

    return first ? { kind: 'term', term: first.term, ...scope } : null;
}

function wholeValue(text: string, { target, boost }: Scope): Query {

    switch (target.kind) {
        case 'value':
            return { kind: 'value', column: target.column, value: text, boost };
        case 'constant':
            return text.toLowerCase() === target.word ? { ...MATCH_ALL, boost } : MATCH_NONE;
        default:
            return { kind: 'term', target, term: keywordOf(text), boost };
    }
}
