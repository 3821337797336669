/**
 * Collects annotations: the extension keyword where it applies to content. As in validation, it applies through properties,
 * elements, references, and the branches of alternatives that the value matches.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer } from '../../json/pointer.js';
import type { PlanNode } from './annotation-plan.js';
import { MemberNames } from './named-nodes.js';
import type { MatchTest } from '../schema/compiler.js';
import { spend } from '../../util/concurrency/time-budget.js';
import type { Annotation } from '../../model/processed-content.js';

/** Approximate cost of a visit, in steps of the time budget. */
const VISIT_COST = 10;

/** Returns all annotations of content, in the order of the schema. */
export function collectAnnotations(plan: PlanNode, content: JsonValue, matches: MatchTest): Annotation[] {

    const found: Annotation[] = [];
    if (plan.isMarked) {
        new Collector(matches, found).visit(plan, content, '');
    }

    return found;
}

class Collector {

    readonly #matches: MatchTest;
    readonly #found: Annotation[];
    readonly #names = new MemberNames();

    constructor(matches: MatchTest, found: Annotation[]) {

        this.#matches = matches;
        this.#found = found;
    }

    visit(node: PlanNode, value: JsonValue, pointer: string): void {

        spend(VISIT_COST);
        if (node.keyword) {
            this.#found.push({ pointer, keyword: node.keyword, value });
        }

        this.#visitSamePlace(node, value, pointer);
        if (Array.isArray(value)) {
            this.#visitElements(node, value, pointer);
        }
        else if (isJsonObject(value)) {
            this.#visitMembers(node, value, pointer);
        }
    }

    #visitSamePlace(node: PlanNode, value: JsonValue, pointer: string): void {

        for (const other of node.applied) {
            this.visit(other, value, pointer);
        }

        for (const { options } of node.alternatives) {
            for (const option of options) {
                if (this.#matches(option.schema, value)) {
                    this.visit(option.node, value, pointer);
                }
            }
        }

        if (node.condition) {
            const { test, then, otherwise } = node.condition;
            const applies = this.#matches(test.schema, value) ? [test.node, then] : [otherwise];
            for (const other of applies) {
                this.#visitMarked(other, value, pointer);
            }
        }
    }

    #visitMembers(node: PlanNode, value: JsonObject, pointer: string): void {

        for (const [name, child] of this.#names.select(node.properties, value)) {
            const member = Object.hasOwn(value, name) ? value[name] : undefined;
            if (member !== undefined) {
                this.visit(child, member, childPointer(pointer, name));
            }
        }

        for (const [name, child] of this.#names.select(node.dependents, value)) {
            if (Object.hasOwn(value, name)) {
                this.visit(child, value, pointer);
            }
        }

        if (node.patterns.length === 0 && !node.additional) {
            return;
        }

        for (const [name, member] of Object.entries(value)) {
            for (const child of nodesByName(node, name)) {
                this.visit(child, member, childPointer(pointer, name));
            }
        }
    }

    #visitElements(node: PlanNode, value: readonly JsonValue[], pointer: string): void {

        if (!node.items && !node.contains && node.tuple.length === 0) {
            return;
        }

        for (const [index, element] of value.entries()) {
            const at = childPointer(pointer, index);
            for (const child of nodesByIndex(node, index)) {
                this.visit(child, element, at);
            }

            if (node.contains && this.#matches(node.contains.schema, element)) {
                this.visit(node.contains.node, element, at);
            }
        }
    }

    #visitMarked(node: PlanNode | undefined, value: JsonValue, pointer: string): void {

        if (node?.isMarked) {
            this.visit(node, value, pointer);
        }
    }
}

/** Returns the nodes for a member by a pattern of its name, or as an additional property. */
export function nodesByName(node: PlanNode, name: string): PlanNode[] {

    const nodes = node.patterns.filter(([pattern]) => pattern.test(name)).map(([, child]) => child);
    const { additional } = node;
    if (additional && !additional.names.has(name) && !additional.patterns.some((pattern) => pattern.test(name))) {
        nodes.push(additional.node);
    }

    return nodes;
}

/** Returns the nodes for an element by its index. */
export function nodesByIndex(node: PlanNode, index: number): PlanNode[] {

    const byPosition = node.tuple[index];
    const { items } = node;
    return [...(byPosition ? [byPosition] : []), ...(items && index >= items.from ? [items.node] : [])];
}
