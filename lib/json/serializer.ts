/**
 * Serialises JSON values with their numbers as they were sent (`exact-numbers.ts`). Values without such numbers are left to
 * JSON.stringify.
 *
 * Stored text with such numbers is marked by a leading blank, so that other text is parsed by JSON.parse alone.
 */

import { hasNumberTexts, numberTextAt, SentNumber } from './exact-numbers.js';
import { parseOwnJson } from './strict-parser.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

const MARK = ' ';

/** Serialises like JSON.stringify, except for numbers with a text of their own. */
export function writeJson(value: unknown, indent = 0): string {

    return hasNumberTexts(value) ? written(value, ' '.repeat(indent), '\n') : JSON.stringify(value, null, indent);
}

/** Serialises a value for the database; to be read by {@link readStored}. */
export function writeStored(value: unknown): string {

    return hasNumberTexts(value) ? MARK + written(value, '', '') : JSON.stringify(value);
}

/** Parses text written by {@link writeStored} or JSON.stringify. */
export function readStored(text: string): JsonValue {

    return isMarked(text) ? parseOwnJson(text) : JSON.parse(text) as JsonValue;
}

/** Returns whether a stored text has numbers with a text of their own. */
export function isMarked(text: string): boolean {

    return text.startsWith(MARK);
}

/** Removes the mark of a stored text. */
export function unmarked(text: string): string {

    return isMarked(text) ? text.slice(MARK.length) : text;
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {

    return 'toJSON' in value && typeof value.toJSON === 'function';
}

/**
 * @param margin line break and indentation of the closing bracket; used with an indent only
 */
function written(value: unknown, indent: string, margin: string): string {

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    if (value instanceof SentNumber) {
        return value.toString();
    }

    if (hasOwnForm(value)) {
        return written(value.toJSON(), indent, margin);
    }

    const isArray = Array.isArray(value);
    const inner = indent === '' ? '' : margin + indent;
    const members: string[] = [];
    for (const name of Object.keys(value)) {
        const member = (value as JsonObject)[name];
        if (isArray || member !== undefined && typeof member !== 'function') {
            const text = numberTextAt(value, name) ?? written(member ?? null, indent, inner);
            members.push(isArray ? text : `${JSON.stringify(name)}:${indent === '' ? '' : ' '}${text}`);
        }
    }

    const [open, close] = isArray ? '[]' : '{}';
    return members.length === 0 ? `${open}${close}` : `${open}${inner}${members.join(`,${inner}`)}${indent === '' ? '' : margin}${close}`;
}
