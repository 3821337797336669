/** JSON without exact numbers, for code that calculates with them. */

import { ExactNumber, type Json } from './exact-number.js';
import type { JsonValue } from '../../../lib/util/json-types.js';

/** Returns a value with numbers of JavaScript. */
export function plainJson(value: Json): JsonValue {

    if (value instanceof ExactNumber) {
        return Number(value.text);
    }

    if (typeof value !== 'object' || value === null) {
        return value;
    }

    return Array.isArray(value) ? value.map((each) => plainJson(each as Json)) :
        Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainJson(each)]));
}
