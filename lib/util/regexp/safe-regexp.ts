/**
 * Regular expressions that cannot stall the service: whatever the pattern and the text, the time is proportional to the
 * product of their lengths. Takes the place of RegExp wherever a schema brings the pattern.
 */

import { RE2JS } from 're2js';
import { PatternError, translatePattern } from './re2-syntax.js';
import { BudgetExceeded, spend } from '../concurrency/time-budget.js';

/** Patterns longer than this describe something that a pattern should not. */
const MAX_SOURCE = 4096;

/** Number of states, roughly the length of the pattern with all repetitions written out. */
const MAX_STATES = 2000;

/** Text length times states that one test may take; at worst some hundred milliseconds, usually a tenth of it. */
const MAX_STEPS = 10_000_000;

/** Patterns that were compiled lately. Schemas repeat them, and every use shares what the engine has learnt. */
const recent = new Map<string, SafeRegExp>();

/** States of all of them together; a state takes some hundred bytes. */
const MAX_RECENT_STATES = 100_000;
let recentStates = 0;

/** A test of more steps than this has the engine forget what it learnt from it: that may be megabytes for each pattern. */
const MEMORABLE_STEPS = 1_000_000;

interface Condition {
    readonly engine: RE2JS;
    readonly states: number;
    readonly expected: boolean;
}

/**
 * A pattern in JavaScript's syntax, with the meaning that the flag `u` gives it. Back-references are refused;
 * lookaheads are supported where they stand directly after a leading `^`, which is where they are used to demand several
 * things of one text (`^(?=.*\d)(?!.*\s).{8,}$`).
 */
export class SafeRegExp {

    readonly #source: string;
    readonly #conditions: readonly Condition[];

    private constructor(source: string) {

        checkSyntax(source);
        this.#source = source;
        this.#conditions = splitLookaheads(source).map(({ text, expected }) => compile(text, expected));
    }

    /** The pattern with this source. @throws PatternError when it is malformed, not supported or too large. */
    static of(source: string): SafeRegExp {

        let pattern = recent.get(source);
        if (!pattern) {
            pattern = new SafeRegExp(source);
            recentStates += pattern.states;
            if (recentStates > MAX_RECENT_STATES) {
                recent.clear();
                recentStates = pattern.states;
            }

            recent.set(source, pattern);
        }

        return pattern;
    }

    /** What the pattern costs to compile and to keep, as a number of states. */
    get states(): number {

        return this.#conditions.reduce((sum, { states }) => sum + states, 0);
    }

    /**
     * True when the pattern matches some part of the text.
     *
     * @throws BudgetExceeded when the text is too long for a pattern of this size.
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

    /** The source: what the schema compiler knows equal patterns by. */
    toString(): string {

        return this.#source;
    }
}

function checkSyntax(source: string): void {

    if (source.length > MAX_SOURCE) {
        throw new PatternError(`is longer than ${MAX_SOURCE} characters`);
    }

    // schemas escape more than the flag u allows (`\-`, `\_`), so what is valid without it is accepted too
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

function compile(source: string, expected: boolean): Condition {

    const translated = translatePattern(source);
    let engine: RE2JS;
    try {
        engine = RE2JS.compile(translated);
    }
    catch (error) {
        throw new PatternError('uses something that is not supported', { cause: error });
    }

    const states = engine.programSize();
    if (states > MAX_STATES) {
        throw new PatternError('is too large; shorten its repetitions');
    }

    return { engine, states, expected };
}

/** `^(?=A)(?!B)C` matches where `^A` and `^C` match and `^B` does not. */
function splitLookaheads(source: string): { text: string; expected: boolean }[] {

    const parts: { text: string; expected: boolean }[] = [];
    let rest = source;
    while (/^\^\(\?[=!]/.test(rest) && !hasTopLevelAlternative(source)) {
        const end = closingParenthesis(rest, 1);
        parts.push({ text: `^(?:${rest.slice(4, end)})`, expected: rest[3] === '=' });
        rest = `^${rest.slice(end + 1)}`;
    }

    return [...parts, { text: rest, expected: true }];
}

function hasTopLevelAlternative(source: string): boolean {

    return structure(source).some(({ text, depth }) => text === '|' && depth === 0);
}

function closingParenthesis(source: string, opening: number): number {

    const closing = structure(source).find(({ text, depth, at }) => text === ')' && depth === 1 && at > opening);
    return closing?.at ?? source.length;
}

/** The parentheses and bars of a pattern that are neither escaped nor inside a class. `depth`: groups that are open before it. */
function structure(source: string): { text: string; at: number; depth: number }[] {

    let depth = 0;
    return [...source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]?|[()|]/gs)].map(({ 0: text, index: at }) => {

        const before = depth;
        depth += text === '(' ? 1 : text === ')' ? -1 : 0;
        return { text, at, depth: before };
    });
}
