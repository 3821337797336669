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

/** Maximum number of schemas that apply to the same value, each referred to by the one before. Validation has stack for a few more. */
const MAX_CHAIN = 1000;

/** A target whose references are being followed. */
interface Visit {
    readonly number: number;
    /** Numbers of the targets that it refers to, without those that were followed. */
    readonly left: number[];
    /** Length of the longest chain from it. */
    chain: number;
}

/** Returns the error if linked schemas contain such a cycle, or a chain too long to follow; otherwise an empty list. */
export function *endlessError(targets: readonly Schema[]): Steps<ContentError[]> {

    /** Lengths of the longest chains from targets; null while they are followed. */
    const chains = new Map<number, number | null>();
    for (const start of targets.keys()) {
        const path = chains.has(start) ? [] : [visit(start)];
        for (let last = path.at(-1); last; last = path.at(-1)) {
            const next = last.left.pop();
            if (next === undefined) {
                path.pop();
                chains.set(last.number, last.chain);
                extend(path.at(-1), last.chain);
                yield;
            }
            else if (chains.get(next) === null) {
                return [{ pointer: '', message: 'refers to itself without end' }];
            }
            else if (chains.has(next)) {
                extend(last, chains.get(next) ?? 0);
            }
            else {
                path.push(visit(next));
            }
        }
    }

    const isTooLong = [...chains.values()].some((chain) => (chain ?? 0) > MAX_CHAIN);
    return isTooLong ? [{ pointer: '', message: 'refers through too many schemas' }] : [];

    function visit(number: number): Visit {

        chains.set(number, null);
        return { number, left: inPlaceReferences(targets[number] ?? true), chain: 1 };
    }
}

function extend(visit: Visit | undefined, chain: number): void {

    if (visit) {
        visit.chain = Math.max(visit.chain, chain + 1);
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
