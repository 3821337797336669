/** What it costs to check a value by a schema, for the time budget of validations: the size of the one, times that of the other. */

import type { JsonValue } from '../../util/json-types.js';

/** Characters of a schema whose check takes as long as a step of the time budget. */
const CHARACTERS = 40;

/** Characters of a text that take as long as another value. */
const TEXT_CHARACTERS = 16;

/** Returns the steps that a schema takes for each value. */
export function weightOf(schema: JsonValue): number {

    return Math.ceil(JSON.stringify(schema).length / CHARACTERS);
}

/** Sizes of values: their number with those inside. Each is counted once, as schemas with alternatives ask for the same ones again and again. */
export class ValueSizes {

    readonly #counted = new WeakMap<object, number>();

    of(value: JsonValue): number {

        if (typeof value === 'string') {
            return 1 + Math.floor(value.length / TEXT_CHARACTERS);
        }

        if (typeof value !== 'object' || value === null) {
            return 1;
        }

        let size = this.#counted.get(value);
        if (size === undefined) {
            size = 1;
            for (const member of Array.isArray(value) ? value : Object.values(value)) {
                size += this.of(member);
            }

            this.#counted.set(value, size);
        }

        return size;
    }
}
