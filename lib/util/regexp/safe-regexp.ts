/**
 * Regular expressions with bounded time: at most proportional to the product of the lengths of pattern and text. Replaces RegExp for all
 * patterns of schemas.
 */

import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { PatternError, translatePattern } from './re2-syntax.js';
import { BudgetExceeded, spend } from '../concurrency/time-budget.js';
import { getOrAdd } from '../cache/get-or-add.js';

/** Maximum length of a pattern in characters. */
const MAX_SOURCE = 4096;

/** Maximum number of states of a pattern, about its length with all repetitions expanded. */
const MAX_STATES = 2000;

/** Maximum number of states of all conditions of a pattern. */
const MAX_ALL_STATES = 10_000;

/** Maximum of text length times states for one test: at worst some hundred milliseconds, usually a tenth of that. */
const MAX_STEPS = 10_000_000;

/** Maximum number of states of all recent patterns; a state takes some hundred bytes. */
const MAX_RECENT_STATES = 100_000;

/** Recently compiled patterns. Schemas repeat patterns, and all uses share the caches of the engine. */
const recent = new LRUCache<string, SafeRegExp>({
    maxSize: MAX_RECENT_STATES,
    sizeCalculation: ({ states }) => Math.max(1, Math.min(states, MAX_RECENT_STATES))
});

/** Steps after which the caches of the engine are cleared, as they may have grown to megabytes. */
const MEMORABLE_STEPS = 1_000_000;

interface Condition {
    readonly engine: RE2JS;
    readonly states: number;
    readonly expected: boolean;
}

/**
 * A pattern in JavaScript syntax, with the semantics of the flag `u`. Back-references are not supported; lookaheads only directly after a
 * leading `^`, where they combine several conditions (`^(?=.*\d)(?!.*\s).{8,}$`).
 */
export class SafeRegExp {

    readonly #source: string;
    readonly #conditions: readonly Condition[];

    private constructor(source: string) {

        checkSyntax(source);
        this.#source = source;
        let left = MAX_ALL_STATES;
        this.#conditions = splitLookaheads(source).map(({ text, expected }) => {

            const condition = compile(text, expected, Math.min(MAX_STATES, left));
            left -= condition.states;
            return condition;
        });
    }

    /** Returns the pattern with this source. @throws PatternError when it is malformed, unsupported or too large */
    static of(source: string): SafeRegExp {

        return getOrAdd<string, SafeRegExp>(recent, source, () => new SafeRegExp(source));
    }

    /** Cost of the pattern in time and memory, as a number of states. */
    get states(): number {

        return this.#conditions.reduce((sum, { states }) => sum + states, 0);
    }

    /**
     * True when the pattern matches part of the text.
     *
     * @throws BudgetExceeded when the text is too long for a pattern of this size
     */
    test(text: string): boolean {

        for (const { engine, states, expected } of this.#conditions) {
            const cost = states * text.length;
            if (cost > MAX_STEPS) {
                throw new BudgetExceeded(`a text of ${text.length} characters is too long for the pattern ${this.#source}`);
            }

            spend(cost);
            const isMatch = engine.test(text);
            if (cost > MEMORABLE_STEPS) {
                engine.reset();
            }

            if (isMatch !== expected) {
                return false;
            }
        }

        return true;
    }

    /** The source, by which the schema compiler recognises equal patterns. */
    toString(): string {

        return this.#source;
    }
}

function checkSyntax(source: string): void {

    if (source.length > MAX_SOURCE) {
        throw new PatternError(`is longer than ${MAX_SOURCE} characters`);
    }

    // Schemas escape more than the flag u allows (`\-`, `\_`), so patterns that are valid without it are accepted too.
    if (!isRegExp(source, 'u') && !isRegExp(source, '')) {
        throw new PatternError('is not a valid regular expression');
    }
}

function isRegExp(source: string, flags: string): boolean {

    try {
        return new RegExp(source, flags) instanceof RegExp;
    }
    catch {
        return false;
    }
}

function compile(source: string, expected: boolean, maxStates: number): Condition {

    const translated = translatePattern(source);
    // Before the engine expands them, which takes time and memory for each.
    checkSize(translated.states, maxStates);
    let engine: RE2JS;
    try {
        engine = RE2JS.compile(translated.text);
    }
    catch (error) {
        throw new PatternError('uses something that is not supported', { cause: error });
    }

    const states = engine.programSize();
    checkSize(states, maxStates);
    return { engine, states, expected };
}

function checkSize(states: number, maxStates: number): void {

    if (states > maxStates) {
        throw new PatternError('is too large; shorten its repetitions');
    }
}

/** Splits `^(?=A)(?!B)C` into `^A`, not `^B`, and `^C`, all of which must hold. */
function splitLookaheads(source: string): { text: string; expected: boolean }[] {

    const parts: { text: string; expected: boolean }[] = [];
    const marks = structure(source);
    const isSplit = source.startsWith('^') && !marks.some(({ text, depth }) => text === '|' && depth === 0);
    const closing = isSplit ? marks.filter(({ text, depth }) => text === ')' && depth === 1) : [];
    let from = 1;
    for (const { at } of closing) {
        if (!source.startsWith('(?=', from) && !source.startsWith('(?!', from)) {
            break;
        }

        parts.push({ text: `^(?:${source.slice(from + 3, at)})`, expected: source[from + 2] === '=' });
        from = at + 1;
    }

    return [...parts, { text: parts.length > 0 ? `^${source.slice(from)}` : source, expected: true }];
}

/** Parentheses and bars that are neither escaped nor in a class. `depth` is the number of open groups before it. */
function structure(source: string): { text: string; at: number; depth: number }[] {

    let depth = 0;
    return [...source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]?|[()|]/gs)].map(({ 0: text, index: at }) => {

        const before = depth;
        depth += text === '(' ? 1 : text === ')' ? -1 : 0;
        return { text, at, depth: before };
    });
}
