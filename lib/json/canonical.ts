/**
 * One text for every way to write the same JSON, and its hash. Clients compute the same hashes on their side, so that nothing
 * here may ever change.
 */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../util/json-types.js';

/**
 * The canonical text of a value: no blanks, properties in the order of the UTF-16 code units of their names, numbers and
 * strings as JavaScript writes them. Arrays count as unordered: their entries stand in the order of their own canonical texts.
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

/** Lower-case hex SHA-256 of the canonical text of a value, in UTF-8. */
export function hashJson(value: JsonValue): string {

    return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
