/**
 * What scripts have worked out on the spot, in their thread: hashes and tokens. JSON texts in, JSON text of `{ value }` or of
 * `{ error }` out.
 */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../doip/json.js';
import { isJsonObject } from '../doip/json.js';

/** Does what a script asks for; `input` gives the bytes of its `directIo`. */
export function compute(name: string, args: string, input: () => Uint8Array): string {

    if (name === 'inputText') {
        return JSON.stringify(new TextDecoder().decode(input()));
    }

    const values = JSON.parse(args) as JsonValue[];
    switch (name) {
        case 'hashJson':
            return JSON.stringify({ value: createHash('sha256').update(canonical(values[0] ?? null)).digest('hex') });
        default:
            return JSON.stringify({ error: { message: `${name} does not exist`, status: '0.DOIP/Status.101' } });
    }
}

/** JSON text with the members of objects in the order of their names, and no blanks. */
function canonical(value: JsonValue): string {

    if (Array.isArray(value)) {
        return `[${value.map(canonical).join(',')}]`;
    }

    if (isJsonObject(value)) {
        return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
    }

    return JSON.stringify(value);
}
