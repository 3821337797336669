/**
 * Terms as OpenSearch stores them. A few fields hold the terms of all properties, each behind a code for the name of its property, so that
 * the number of properties does not matter to the engine. Terms are those of our own analysis.
 */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { cutAt, MAX_VALUE_LENGTH } from '../analysis/analyzer.js';

/** What a code stands for: words of a property, whole values of a field, or a column of values. */
export type CodeKind = 'word' | 'keyword' | 'column';

/** Code of the default field, which has all words. */
export const ANY_CODE = '!';

/** Begins the form of a term that is too long to be stored as it is. No code begins with it. */
const LONG_MARK = '~';

/** Maximum length of a term with its code in a field of words: the engine splits longer ones. */
const MAX_TOKEN = 200;

/** Maximum length of a value that is stored as it is where values are only compared. */
const MAX_EXACT = 1024;

/** Characters of a code: 72 bits of a digest. */
const CODE_LENGTH = 12;
const MAX_CACHED = 50_000;
const codes = new LRUCache<string, string>({ max: MAX_CACHED });

/** Returns the code of a name. */
export function codeOf(kind: CodeKind, name: string): string {

    const key = `${kind} ${name}`;
    let code = codes.get(key);
    if (code === undefined) {
        code = digestOf(key).slice(0, CODE_LENGTH);
        codes.set(key, code);
    }

    return code;
}

/** Returns the form of a term in a field of words; another one where it would be split. */
export function tokenOf(code: string, term: string): string {

    const token = code + term;
    return isLong(token) ? LONG_MARK + digestOf(token) : token;
}

/** Returns whether a term with its code is too long for a field of words, so that patterns must look for it elsewhere. */
export function isLong(token: string): boolean {

    return token.length > MAX_TOKEN;
}

/** Returns the form of a value that is only compared as a whole. */
export function exactKey(value: string): string {

    return value.length > MAX_EXACT ? LONG_MARK + digestOf(value) : value.toWellFormed();
}

/** Number of fields over which the values for facets are spread, each with the values of some columns. */
export const FACET_FIELDS = 16;

/** Returns the field for the values of a column, by its code. */
export function facetField(code: string): string {

    return `facet.f${code.charCodeAt(0) % FACET_FIELDS}`;
}

/** Separates the parts of a key; escaped in values. */
const SEPARATOR = '\0\0';
const LAST_CHARACTER = '\u{10ffff}';

/** Returns a key for a value whose order is that of `compareText`: without case, then by UTF-16 units. */
export function textKey(value: string): string {

    const text = cutAt(value, MAX_VALUE_LENGTH);
    return `${inUtf16Order(text.toLowerCase())}${SEPARATOR}${inUtf16Order(text)}`;
}

/** Returns the value of a key. */
export function textOfKey(key: string): string {

    return key.slice(key.indexOf(SEPARATOR) + SEPARATOR.length).replaceAll('\0\u0001', '\0').replaceAll(/\u{10ffff}(.)/gsu, '$1');
}

/** The engine compares code points, which are in the order of UTF-16 but for those behind the surrogates. */
function inUtf16Order(text: string): string {

    return text.toWellFormed().replaceAll('\0', '\0\u0001').replaceAll(/[\ue000-\uffff\u{10ffff}]/gu, `${LAST_CHARACTER}$&`);
}

/** Returns a key for sorting: numbers before texts. */
export function sortKey(value: string | number): string {

    return typeof value === 'number' ? `n${numberKey(value)}` : `t${textKey(value)}`;
}

/** Returns a text of 16 hexadecimal digits in the order of numbers. */
export function numberKey(value: number): string {

    const view = new DataView(new ArrayBuffer(8));
    // Adding zero makes negative zero positive.
    view.setFloat64(0, value + 0);
    const bits = view.getBigUint64(0);
    const ordered = value < 0 ? ~bits & 0xffff_ffff_ffff_ffffn : bits | 0x8000_0000_0000_0000n;
    return ordered.toString(16).padStart(16, '0');
}

function digestOf(text: string): string {

    return createHash('sha256').update(text).digest('base64url');
}
