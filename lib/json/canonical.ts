/**
 * Canonical JSON and its hash. Clients compute the same hashes, so that this must never change.
 */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../util/json-types.js';

/** A text in parts. */
type Text = string | readonly Text[];

/** Maximum length of a text that is joined at its own level. */
const SHORT = 512;

/** Length of the beginnings of texts by which they are compared first. */
const HEAD = 64;

/**
 * Returns the canonical text of a value: no white space, properties sorted by the UTF-16 code units of their names, numbers and
 * strings as JSON.stringify writes them. Arrays count as unordered: their elements are sorted by their canonical texts.
 */
export function canonicalJson(value: JsonValue): string {

    // The text is joined once, and not at each level: nested values would be copied as often as they are nested.
    const parts: string[] = [];
    addParts(parts, canonicalText(value));
    return parts.join('');
}

function canonicalText(value: JsonValue): Text {

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    const parts: Text[] = [];
    if (Array.isArray(value)) {
        const elements: Text[] = [];
        for (const element of value) {
            elements.push(canonicalText(element));
        }

        for (const element of sorted(elements)) {
            parts.push(parts.length === 0 ? '[' : ',', element);
        }

        return closed(parts, '[', ']');
    }

    for (const name of Object.keys(value).sort()) {
        const member = value[name];
        if (member !== undefined) {
            parts.push(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`, canonicalText(member));
        }
    }

    return closed(parts, '{', '}');
}

/** Returns the text of an array or object without its closing bracket, completed; short ones in one part, which is faster. */
function closed(parts: Text[], open: string, close: string): Text {

    if (parts.length === 0) {
        return open + close;
    }

    parts.push(close);
    let length = 0;
    for (const part of parts) {
        length += typeof part === 'string' ? part.length : Infinity;
    }

    return length > SHORT ? parts : parts.join('');
}

function addParts(parts: string[], text: Text): void {

    if (typeof text === 'string') {
        parts.push(text);
    }
    else {
        for (const part of text) {
            addParts(parts, part);
        }
    }
}

/** Sorts texts by their UTF-16 code units. */
function sorted(texts: Text[]): Text[] {

    if (texts.length < 2 || texts.every((text) => typeof text === 'string')) {
        return texts.sort();
    }

    const headed = texts.map((text) => ({ text, head: headOf(text) }));
    return headed.sort((one, other) => comparison(one.head, other.head) || compareTexts(one.text, other.text)).map(({ text }) => text);
}

function headOf(text: Text): string {

    let head = '';
    for (const part of partsOf(text)) {
        head += part.slice(0, HEAD - head.length);
        if (head.length === HEAD) {
            break;
        }
    }

    return head;
}

/** Compares two texts, as far as they are equal and up to their first difference. */
function compareTexts(one: Text, other: Text): number {

    const [left, right] = [partsOf(one), partsOf(other)];
    let [a, b] = ['', ''];
    for (;;) {
        a ||= nextOf(left);
        b ||= nextOf(right);
        const length = Math.min(a.length, b.length);
        const result = comparison(a.slice(0, length), b.slice(0, length));
        if (result !== 0 || length === 0) {
            return result || a.length - b.length;
        }

        a = a.slice(length);
        b = b.slice(length);
    }
}

/** Returns the parts of a text one after the other. */
function* partsOf(text: Text): Generator<string, void> {

    const open: { readonly parts: readonly Text[]; next: number }[] = [{ parts: [text], next: 0 }];
    for (let last = open.at(-1); last; last = open.at(-1)) {
        const part = last.parts[last.next++];
        if (part === undefined) {
            open.pop();
        }
        else if (typeof part === 'string') {
            yield part;
        }
        else {
            open.push({ parts: part, next: 0 });
        }
    }
}

function nextOf(parts: Generator<string, void>): string {

    const { value } = parts.next();
    return value ?? '';
}

function comparison(one: string, other: string): number {

    return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the SHA-256 of the canonical text in UTF-8, in lower-case hex. */
export function hashJson(value: JsonValue): string {

    return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
