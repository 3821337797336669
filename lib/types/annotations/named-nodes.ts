/**
 * Selects the nodes of a plan by the members that an object has: schemas may have thousands of properties, and content thousands of
 * objects with few members each.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { PlanNode } from './annotation-plan.js';

/** Nodes by names of members, in the order of the schema. */
export type NamedNodes = PlanNode['properties'];

/** Number of nodes that are always tried one by one. */
const FEW = 8;

/** Positions in lists of nodes by name; made when it is first searched. */
const cache = new WeakMap<NamedNodes, Map<string, number[]>>();

/** Names of the members of objects, which are read once for all schemas that apply to an object. */
export class MemberNames {

    readonly #names = new Map<JsonObject, readonly string[]>();

    /**
     * Returns, in their order, the nodes of a list that may apply to an object: at least those with the name of a member, and those at the given
     * positions. All, if there are few of them, or not many more than members.
     */
    select(nodes: NamedNodes, object: JsonObject, others: () => readonly number[] = none): NamedNodes {

        if (nodes.length <= FEW) {
            return nodes;
        }

        const names = this.#of(object);
        if (names.length * 2 >= nodes.length) {
            return nodes;
        }

        const positions = positionsOf(nodes);
        const found = new Set([...names.flatMap((name) => positions.get(name) ?? []), ...others()]);
        return [...found].sort((one, other) => one - other).flatMap((position) => (nodes[position] ? [nodes[position]] : []));
    }

    #of(object: JsonObject): readonly string[] {

        let names = this.#names.get(object);
        if (!names) {
            names = Object.keys(object);
            this.#names.set(object, names);
        }

        return names;
    }
}

/** Returns the positions of the nodes of a list by name. */
export function positionsOf(nodes: NamedNodes): ReadonlyMap<string, readonly number[]> {

    let positions = cache.get(nodes);
    if (!positions) {
        positions = new Map<string, number[]>();
        for (const [position, [name]] of nodes.entries()) {
            const same = positions.get(name);
            if (same) {
                same.push(position);
            }
            else {
                positions.set(name, [position]);
            }
        }

        cache.set(nodes, positions);
    }

    return positions;
}

function none(): readonly number[] {

    return [];
}
