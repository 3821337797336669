/** Writes JSON with exact numbers. */

import { ExactNumber } from './exact-number.js';
import type { Json, JsonMap } from './exact-number.js';

/** Writes a value; with an indent, in spaces, over several lines. */
export function writeJson(value: Json, indent = 0): string {

    return written(value, indent === 0 ? '' : '\n', ' '.repeat(indent));
}

function written(value: Json, margin: string, indent: string): string {

    if (value instanceof ExactNumber) {
        return value.text;
    }

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    const inner = margin === '' ? '' : margin + indent;
    const isArray = Array.isArray(value);
    const separator = indent === '' ? ':' : ': ';
    const members = isArray ?
        value.map((each) => written(each as Json, inner, indent)) :
        Object.entries(value as JsonMap).map(([name, each]) => `${JSON.stringify(name)}${separator}${written(each, inner, indent)}`);
    const [open, close] = isArray ? '[]' : '{}';
    return members.length === 0 ? `${open}${close}` : `${open}${inner}${members.join(`,${inner}`)}${margin}${close}`;
}
