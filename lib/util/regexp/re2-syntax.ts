/**
 * Translates regular expressions from the syntax of JavaScript, as in schemas, to that of RE2, which runs in linear time. Rejects patterns
 * that cannot run in linear time.
 */

/** Thrown for a malformed or unsupported pattern; the message continues "the pattern …". */
export class PatternError extends Error {

    constructor(message: string, options?: ErrorOptions) {

        super(message, options);
        this.name = 'PatternError';
    }
}

/** Maximum repetition in RE2; longer limits belong in maxLength and maxItems. */
const MAX_REPEAT = 1000;

/** White space of JavaScript, of which RE2's is a subset. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE = '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
    '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const ANY_BUT_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';
const ANYTHING = '[\\x00-\\x{10ffff}]';
const NOTHING = '[^\\x00-\\x{10ffff}]';

/** Tokens without a state of their own, and those that only mark what is before them. */
const STATELESS: ReadonlySet<string> = new Set(['\\A', '\\z', '\\b', '\\B', NOTHING]);
const MARKS: ReadonlySet<string> = new Set(['*', '+', '?']);

/** Unicode categories that RE2 has only under their short names. */
const CATEGORIES: Readonly<Record<string, string>> = {
    Letter: 'L', Cased_Letter: 'LC', Uppercase_Letter: 'Lu', Lowercase_Letter: 'Ll', Titlecase_Letter: 'Lt', Modifier_Letter: 'Lm',
    Other_Letter: 'Lo', Mark: 'M', Nonspacing_Mark: 'Mn', Spacing_Mark: 'Mc', Enclosing_Mark: 'Me', Number: 'N', Decimal_Number: 'Nd',
    Letter_Number: 'Nl', Other_Number: 'No', Punctuation: 'P', Connector_Punctuation: 'Pc', Dash_Punctuation: 'Pd',
    Open_Punctuation: 'Ps', Close_Punctuation: 'Pe', Initial_Punctuation: 'Pi', Final_Punctuation: 'Pf', Other_Punctuation: 'Po',
    Symbol: 'S', Math_Symbol: 'Sm', Currency_Symbol: 'Sc', Modifier_Symbol: 'Sk', Other_Symbol: 'So', Separator: 'Z',
    Space_Separator: 'Zs', Line_Separator: 'Zl', Paragraph_Separator: 'Zp', Other: 'C', Control: 'Cc', Format: 'Cf', Surrogate: 'Cs',
    Private_Use: 'Co', digit: 'Nd', punct: 'P', cntrl: 'Cc'
};

/** An element of a pattern or a character class: a single character, or a set as RE2 text. */
type Atom = { readonly code: number; readonly end: number } | { readonly set: string; readonly end: number };

/** A pattern in RE2 syntax. */
export interface TranslatedPattern {
    readonly text: string;
    /** Number of states that it has at least, with all repetitions expanded. */
    readonly states: number;
}

/** Translates a pattern to RE2 syntax. @throws PatternError */
export function translatePattern(source: string): TranslatedPattern {

    const size = new PatternSize();
    let text = '';
    let at = 0;
    while (at < source.length) {
        const token = translateToken(source, at);
        text += token.text;
        size.add(token);
        at = token.end;
    }

    return { text, states: size.states };
}

/** An open group: states of its alternatives, of which one is enough, as the engine joins what they have in common. */
interface OpenGroup {
    largest: number;
    current: number;
}

/** Counts the states of a pattern as it is read. */
class PatternSize {

    readonly #groups: OpenGroup[] = [];
    #group: OpenGroup = { largest: 0, current: 0 };
    /** States of what a repetition would repeat. */
    #last = 0;

    get states(): number {

        return Math.max(this.#group.largest, this.#group.current);
    }

    add({ text, repeats }: Token): void {

        if (text === '(?:') {
            this.#groups.push(this.#group);
            this.#group = { largest: 0, current: 0 };
        }
        else if (text === ')') {
            const { states } = this;
            this.#group = this.#groups.pop() ?? { largest: 0, current: 0 };
            this.#append(states);
        }
        else if (text === '|') {
            this.#group = { largest: this.states, current: 0 };
        }
        else if (repeats !== undefined) {
            this.#group.current += this.#last * (repeats - 1);
            this.#last *= repeats;
        }
        else if (!MARKS.has(text)) {
            this.#append(STATELESS.has(text) ? 0 : 1);
        }
    }

    #append(states: number): void {

        this.#group.current += states;
        this.#last = states;
    }
}

interface Token {
    readonly text: string;
    readonly end: number;
    /** Set for a repetition: how often it has what it repeats. */
    readonly repeats?: number;
}

function translateToken(source: string, at: number): Token {

    const next = at + 1;
    switch (source[at]) {
        case '\\':
            return outsideClass(source, at);
        case '[':
            return translateClass(source, at);
        case '(':
            return openGroup(source, at);
        case '{':
            return quantifier(source, at);
        case '.':
            return { text: ANY_BUT_LINE_END, end: next };
        case '^':
            return { text: '\\A', end: next };
        case '$':
            return { text: '\\z', end: next };
        case '|': case ')': case '*': case '+': case '?':
            return { text: source[at] ?? '', end: next };
        default: {
            const code = source.codePointAt(at) ?? 0;
            return { text: character(code), end: at + (code > 0xffff ? 2 : 1) };
        }
    }
}

function openGroup(source: string, at: number): Token {

    const opening = /\((?:\?(?:<(?![=!])[^>]*>|<?[=!]|[^<]))?/y;
    opening.lastIndex = at;
    const text = opening.exec(source)?.[0] ?? '(';
    if (/[=!]$/.test(text)) {
        throw new PatternError('looks around, which is only supported directly after a leading ^');
    }

    if (text.startsWith('(?') && text !== '(?:' && !text.endsWith('>')) {
        throw new PatternError(`uses ${text}, which is not supported`);
    }

    // Groups are never captured.
    return { text: '(?:', end: at + text.length };
}

function quantifier(source: string, at: number): Token {

    const form = /\{(\d+)(?:,(\d*))?\}/y;
    form.lastIndex = at;
    const match = form.exec(source);
    if (!match) {
        return { text: '\\{', end: at + 1 };
    }

    if (Number(match[1]) > MAX_REPEAT || Number(match[2] ?? 0) > MAX_REPEAT) {
        throw new PatternError(`repeats more than ${MAX_REPEAT} times; limit the length of a text with maxLength`);
    }

    const [all, least, most] = match;
    // Without a maximum, what is repeated is there once at least.
    return { text: all, end: at + all.length, repeats: most === '' ? Math.max(1, Number(least)) : Number(most ?? least) };
}

function outsideClass(source: string, at: number): Token {

    const letter = source[at + 1] ?? '';
    if (letter === 'b' || letter === 'B') {
        return { text: `\\${letter}`, end: at + 2 };
    }

    const atom = escape(source, at);
    if ('code' in atom) {
        return { text: character(atom.code), end: atom.end };
    }

    return { text: /^\\/.test(atom.set) && !/[\]-]/.test(atom.set) ? atom.set : `[${atom.set}]`, end: atom.end };
}

function translateClass(source: string, at: number): Token {

    const negated = source[at + 1] === '^';
    let end = at + (negated ? 2 : 1);
    let content = '';
    while (source[end] !== ']') {
        const first = classAtom(source, end);
        const isRange = source[first.end] === '-' && source[first.end + 1] !== ']';
        const last = isRange ? classAtom(source, first.end + 1) : first;
        if (!isRange) {
            content += atomText(first);
        }
        else if ('code' in first && 'code' in last) {
            content += `${atomText(first)}-${atomText(last)}`;
        }
        else {
            content += `${atomText(first)}\\-${atomText(last)}`;
        }

        end = last.end;
    }

    if (content === '') {
        return { text: negated ? ANYTHING : NOTHING, end: end + 1 };
    }

    return { text: `[${negated ? '^' : ''}${content}]`, end: end + 1 };
}

function classAtom(source: string, at: number): Atom {

    if (at >= source.length) {
        throw new PatternError('has a character class without end');
    }

    if (source[at] === '\\') {
        return source[at + 1] === 'b' ? { code: 8, end: at + 2 } : escape(source, at);
    }

    const code = source.codePointAt(at) ?? 0;
    return { code, end: at + (code > 0xffff ? 2 : 1) };
}

function atomText(atom: Atom): string {

    return 'code' in atom ? character(atom.code) : atom.set;
}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12 };
const SETS: Readonly<Record<string, string>> = {
    d: '\\d', D: '\\D', w: '\\w', W: '\\W', s: SPACE, S: NOT_SPACE
};

/** Parses an escape, inside or outside a class. */
function escape(source: string, at: number): Atom {

    const letter = source[at + 1] ?? '';
    const end = at + 2;
    if (Object.hasOwn(SETS, letter)) {
        return { set: SETS[letter] ?? '', end };
    }

    if (Object.hasOwn(CONTROLS, letter)) {
        return { code: CONTROLS[letter] ?? 0, end };
    }

    if (/[1-9]/.test(letter) || (letter === 'k' && source[end] === '<')) {
        throw new PatternError('refers back to a group, which is not supported');
    }

    const numeric = /\\(?:0|c([A-Za-z])|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]+)\}|u([Dd][89ABab]..\\u[Dd][C-Fc-f]..)|u([0-9A-Fa-f]{4}))/y;
    numeric.lastIndex = at;
    const match = numeric.exec(source);
    if (match) {
        return { code: codeOf(match), end: at + match[0].length };
    }

    return letter === 'p' || letter === 'P' ? property(source, at) : classlessEscape(source, at);
}

function codeOf([, control, hex, braced, pair, unit]: readonly (string | undefined)[]): number {

    if (control !== undefined) {
        return control.charCodeAt(0) % 32;
    }

    if (pair !== undefined) {
        return 0x10000 + ((parseInt(pair.slice(0, 4), 16) - 0xd800) << 10) + parseInt(pair.slice(6), 16) - 0xdc00;
    }

    return parseInt(hex ?? braced ?? unit ?? '0', 16);
}

function classlessEscape(source: string, at: number): Atom {

    const code = source.codePointAt(at + 1) ?? 0x5c;
    return { code, end: at + (code > 0xffff ? 3 : 2) };
}

function property(source: string, at: number): Atom {

    const form = /\\([pP])\{(?:[A-Za-z_]+=)?([A-Za-z0-9_]+)\}/y;
    form.lastIndex = at;
    const match = form.exec(source);
    const name = match?.[2] ?? '';
    if (!match) {
        return classlessEscape(source, at);
    }

    return { set: `\\${match[1] ?? 'p'}{${CATEGORIES[name] ?? name}}`, end: at + match[0].length };
}

/** A character as RE2 text, inside or outside a class. */
function character(code: number): string {

    const text = String.fromCodePoint(code);
    return /[A-Za-z0-9]/.test(text) ? text : `\\x{${code.toString(16)}}`;
}
