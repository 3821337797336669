/**
 * Finds schemas that refer to themselves without descending into the content, such as `{"allOf": [{"$ref": "#"}]}`. Validation
 * against them would not terminate.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { Steps } from '../../util/concurrency/steps.js';
import { eitherOf, REFERENCE } from './linked-schema.js';
import type { Schema } from './shapes.js';

/** In-place applicators: their subschemas apply to the same value as the schema itself. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'];

/**
 * Maximum length of a chain of schemas that apply to the same value, counted with the subschemas between them. Longer ones may exceed the stack when
 * content is validated.
 */
const MAX_CHAIN = 1000;

/** A reference to a target: its number, and by how much it lengthens a chain. */
interface WeightedReference {
    readonly number: number;
    readonly length: number;
}

/** A target whose references are being followed. */
interface Visit {
    readonly reference: WeightedReference;
    /** References to the targets that were not followed so far. */
    readonly left: WeightedReference[];
    /** Length of the longest chain from it. */
    chain: number;
}

/** Returns the error if linked schemas contain such a cycle, or a chain too long to follow; otherwise an empty list. */
export function *endlessError(targets: readonly Schema[]): Steps<ContentError[]> {

    /** Lengths of the longest chains from targets; null while they are followed. */
    const chains = new Map<number, number | null>();
    for (const start of targets.keys()) {
        const path = chains.has(start) ? [] : [visit({ number: start, length: 1 })];
        for (let last = path.at(-1); last; last = path.at(-1)) {
            const next = last.left.pop();
            if (next === undefined) {
                path.pop();
                chains.set(last.reference.number, last.chain);
                extend(path.at(-1), last.reference, last.chain);
                yield;
            }
            else if (chains.get(next.number) === null) {
                return [{ pointer: '', message: 'refers to itself without end' }];
            }
            else if (chains.has(next.number)) {
                extend(last, next, chains.get(next.number) ?? 0);
            }
            else {
                path.push(visit(next));
            }
        }
    }

    const isTooLong = [...chains.values()].some((chain) => (chain ?? 0) > MAX_CHAIN);
    return isTooLong ? [{ pointer: '', message: 'refers through too many schemas' }] : [];

    function visit(reference: WeightedReference): Visit {

        chains.set(reference.number, null);
        return { reference, left: inPlaceReferences(targets[reference.number] ?? true, 1), chain: 1 };
    }
}

function extend(visit: Visit | undefined, { length }: WeightedReference, chain: number): void {

    if (visit) {
        visit.chain = Math.max(visit.chain, length + chain);
    }
}

/** Returns the references to targets that apply to the same value. */
function inPlaceReferences(schema: JsonValue, length: number): WeightedReference[] {

    if (!isJsonObject(schema)) {
        return [];
    }

    const children = IN_PLACE.flatMap((keyword) => eitherOf(schema, keyword) ?? []);
    const members = IN_PLACE_MAPS.flatMap((keyword) => (isJsonObject(schema[keyword]) ? Object.values(schema[keyword]) : []));
    const direct = typeof schema[REFERENCE] === 'number' ? [{ number: schema[REFERENCE], length }] : [];
    return [
        ...direct,
        ...children.flatMap((child) => inPlaceReferences(child, length + 1)),
        // A function of the keyword stands between the validators.
        ...members.flatMap((member) => inPlaceReferences(member, length + 2))
    ];
}
