/**
 * Writes JSON values with their numbers as they were sent (`exact-numbers.ts`). Values without such numbers are left to
 * JSON.stringify.
 *
 * Text for the database begins with a blank when it has such numbers, so that other text is read as fast as JSON.parse does it.
 */

import { hasNumberTexts, numberTextAt, SentNumber } from './exact-numbers.js';
import { parseOwnJson } from './strict-parser.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

const MARK = ' ';

/** What JSON.stringify makes of a value, but for the numbers that have a text of their own. */
export function writeJson(value: unknown, indent = 0): string {

    return hasNumberTexts(value) ? written(value, ' '.repeat(indent), '\n') : JSON.stringify(value, null, indent);
}

/** The text of a value for the database; to be read by {@link readStored}. */
export function writeStored(value: unknown): string {

    return hasNumberTexts(value) ? MARK + written(value, '', '') : JSON.stringify(value);
}

/** The text for the database of a value whose text is known. */
export function marked(text: string, value: object): string {

    return hasNumberTexts(value) ? MARK + text : text;
}

/** Reads what {@link writeStored} or JSON.stringify wrote. */
export function readStored(text: string): JsonValue {

    return isMarked(text) ? parseOwnJson(text) : JSON.parse(text) as JsonValue;
}

/** True when a stored text has numbers with a text of their own. */
export function isMarked(text: string): boolean {

    return text.startsWith(MARK);
}

/** A stored text as it is shown. */
export function unmarked(text: string): string {

    return isMarked(text) ? text.slice(MARK.length) : text;
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {

    return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** @param margin what stands before the bracket that closes the value, when there is an indent */
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
