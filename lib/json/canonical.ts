/**
 * Canonical JSON and its hash. Clients compute the same hashes, so that this must never change.
 */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../util/json-types.js';

/**
 * Returns the canonical text of a value: no white space, properties sorted by the UTF-16 code units of their names, numbers and
 * strings as JSON.stringify writes them. Arrays count as unordered: their elements are sorted by their canonical texts.
 */
export function canonicalJson(value: JsonValue): string {

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    if (Array.isArray(value)) {
        return `[${value.map(canonicalJson).sort().join(',')}]`;
    }

    const members: string[] = [];
    for (const name of Object.keys(value).sort()) {
        const member = value[name];
        if (member !== undefined) {
            members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
        }
    }

    return `{${members.join(',')}}`;
}

/** Returns the SHA-256 of the canonical text in UTF-8, in lower-case hex. */
export function hashJson(value: JsonValue): string {

    return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
