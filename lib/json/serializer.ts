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

function written(value: unknown, indent: string, margin: string): string {

    // The text is joined once, and not at each level: nested values would be copied as often as they are nested.
    const parts: string[] = [];
    addParts(parts, value, { indent, margin });
    return parts.join('');
}

interface Layout {
    readonly indent: string;
    /** Line break and indentation of the closing bracket; used with an indent only. */
    readonly margin: string;
}

/** One function for all kinds of values, since nesting takes stack. */
function addParts(parts: string[], value: unknown, { indent, margin }: Layout): void {

    if (typeof value !== 'object' || value === null || value instanceof SentNumber) {
        parts.push(value instanceof SentNumber ? value.toString() : JSON.stringify(value));
        return;
    }

    if (hasOwnForm(value)) {
        addParts(parts, value.toJSON(), { indent, margin });
        return;
    }

    const isArray = Array.isArray(value);
    const inner = indent === '' ? '' : margin + indent;
    const nested = { indent, margin: inner };
    const open = isArray ? '[' : '{';
    let separator = open + inner;
    for (const name of Object.keys(value)) {
        const member = (value as JsonObject)[name];
        if (isArray || member !== undefined && typeof member !== 'function') {
            parts.push(isArray ? separator : `${separator}${JSON.stringify(name)}:${indent === '' ? '' : ' '}`);
            separator = `,${inner}`;
            const text = numberTextAt(value, name);
            if (text === undefined) {
                addParts(parts, member ?? null, nested);
            }
            else {
                parts.push(text);
            }
        }
    }

    const isEmpty = separator === open + inner;
    parts.push(`${isEmpty ? open : indent === '' ? '' : margin}${isArray ? ']' : '}'}`);
}
