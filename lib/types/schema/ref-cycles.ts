/**
 * Finds schemas that refer to themselves without descending into the content, such as `{"allOf": [{"$ref": "#"}]}`. Validation
 * against them would not terminate.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { eitherOf, REFERENCE } from './linked-schema.js';
import type { Schema } from './shapes.js';

/** In-place applicators: their subschemas apply to the same value as the schema itself. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'];

/** Returns the error if linked schemas contain such a cycle, or a chain too long to follow; otherwise an empty list. */
export function endlessError(targets: readonly Schema[]): ContentError[] {

    const state = new Map<number, 'open' | 'done'>();
    const isEndless = (number: number): boolean => {

        if (state.has(number)) {
            return state.get(number) === 'open';
        }

        state.set(number, 'open');
        const found = inPlaceReferences(targets[number] ?? true).some(isEndless);
        state.set(number, 'done');
        return found;
    };

    try {
        const found = targets.some((_, number) => isEndless(number));
        return found ? [{ pointer: '', message: 'refers to itself without end' }] : [];
    }
    catch (error) {
        if (error instanceof RangeError) {
            return [{ pointer: '', message: 'refers through too many schemas' }];
        }

        throw error;
    }
}

/** Returns the numbers of the targets that apply to the same value. */
function inPlaceReferences(schema: JsonValue): number[] {

    if (!isJsonObject(schema)) {
        return [];
    }

    const children = IN_PLACE.flatMap((keyword) => eitherOf(schema, keyword) ?? []);
    const members = IN_PLACE_MAPS.flatMap((keyword) => (isJsonObject(schema[keyword]) ? Object.values(schema[keyword]) : []));
    const direct = typeof schema[REFERENCE] === 'number' ? [schema[REFERENCE]] : [];
    return [...direct, ...[...children, ...members].flatMap(inPlaceReferences)];
}
