/** What the search box suggests: fields after a slash, values after a field, syntax when it is asked for. */

import type { Field } from './fields.js';
import { escapedField, quoted } from './state.js';

/** A suggestion: the text after it was taken, and where the caret then is. */
export interface Suggestion {
    readonly label: string;
    readonly detail: string;
    readonly text: string;
    readonly caret: number;
}

/** A piece of syntax: what is inserted, with `|` where the caret goes. */
export interface Syntax {
    readonly label: string;
    readonly detail: string;
    readonly insert: string;
}

const MAX_SUGGESTED = 12;

function inserted(text: string, from: number, to: number, part: string): Pick<Suggestion, 'text' | 'caret'> {

    const at = part.indexOf('|');
    const plain = part.replace('|', '');
    return { text: text.slice(0, from) + plain + text.slice(to), caret: from + (at === -1 ? plain.length : at) };
}

interface SuggestOptions {
    readonly fields: readonly Field[];
    /** Fields that are no properties, with what they hold. */
    readonly special: readonly (readonly [name: string, detail: string])[];
    readonly syntax: readonly Syntax[];
    /** True when the user asks for suggestions: syntax is suggested as well. */
    readonly isAsked: boolean;
}

/** Returns suggestions for a text with a caret. */
export function suggest(
    text: string, caret: number, { fields, special, syntax, isAsked }: SuggestOptions
): readonly Suggestion[] {

    const before = text.slice(0, caret);
    if (isInQuotes(before)) {
        return [];
    }

    const [, value, name, start] = /(?:^|[\s(+\-!])((\/[^\s:()"]+):([\w-]*))$/.exec(before) ?? [];
    const field = name === undefined ? undefined : fields.find((each) => escapedField(each.name) === name);
    if (field && value !== undefined) {
        const values = field.kind === 'boolean' ? ['true', 'false'] : field.choices.map(String);
        return values.filter((each) => each.toLowerCase().startsWith((start ?? '').toLowerCase())).slice(0, MAX_SUGGESTED).map((each) => {

            const word = /^[\w]+$/.test(each) ? each : quoted(each);
            return { label: word, detail: field.label, ...inserted(text, caret - (start ?? '').length, caret, word) };
        });
    }

    const [, word = ''] = /(?:^|[\s(+\-!])(\/[^\s:()"]*)$/.exec(before) ?? [];
    if (word !== '' || isAsked && /(?:^|[\s(+\-!])$/.test(before)) {
        const wanted = word.slice(1).toLowerCase();
        const own = fields.filter(({ kind }) => kind !== 'secret' && kind !== 'object').map((each) => ({ name: each.name, detail: each.label, rank: rank(each, wanted) }))
            .filter((each) => each.rank < 3).sort((one, other) => one.rank - other.rank).slice(0, MAX_SUGGESTED);
        const others = special.filter(([each]) => (wanted === '' ? isAsked : each.toLowerCase().startsWith(wanted))).map(([each, detail]) => ({ name: each, detail, rank: 0 }));
        const names = [...isAsked && word === '' ? [] : own, ...others].map((each) => ({
            label: `${escapedField(each.name)}:`, detail: each.detail, ...inserted(text, caret - word.length, caret, `${escapedField(each.name)}:`)
        }));
        const signs = isAsked && word === '' ? syntax.map(({ label, detail, insert }) => ({ label, detail, ...inserted(text, caret, caret, insert) })) : [];
        return [...signs, ...names];
    }

    return [];
}

function rank({ name, label }: Field, wanted: string): number {

    const lower = name.slice(1).toLowerCase();
    return lower.startsWith(wanted) ? 0 : label.toLowerCase().startsWith(wanted) ? 1 : lower.includes(wanted) ? 2 : 3;
}

function isInQuotes(text: string): boolean {

    return (text.replace(/\\[^]/g, '').match(/"/g)?.length ?? 0) % 2 === 1;
}
