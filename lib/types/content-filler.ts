/**
 * Writes the auto-generated fields into content, before it is validated: a field that the service fills is never missing
 * and never wrong. A field in a branch of alternatives is filled when the content, with the field in it, matches the branch.
 */

import type { JsonObject, JsonValue } from '../doip/json.js';
import { isJsonObject } from '../doip/json.js';
import { copyNumberTexts } from '../doip/json-numbers.js';
import type { PlanNode, PlanOption } from './annotation-plan.js';
import { nodesByIndex, nodesByName } from './annotations.js';
import type { GeneratedFacts } from './auto-fields.js';
import { generate } from './auto-fields.js';
import type { MatchTest } from './schema-compiler.js';
import { spend } from './work-budget.js';

/** About what a visit costs, in steps of the budget. */
const VISIT_COST = 20;

/** The content with all generated fields. The given content stays as it is; unchanged parts are shared. */
export function fillGenerated(plan: PlanNode, content: JsonObject, facts: GeneratedFacts, matches: MatchTest): JsonObject {

    const filled = plan.isGenerated ? new Filler(facts, matches).fill(plan, content) : content;
    return isJsonObject(filled) ? filled : content;
}

class Filler {

    readonly #facts: GeneratedFacts;
    readonly #matches: MatchTest;

    constructor(facts: GeneratedFacts, matches: MatchTest) {

        this.#facts = facts;
        this.#matches = matches;
    }

    /** The value with its generated fields. */
    fill(node: PlanNode, value: JsonValue): JsonValue {

        spend(VISIT_COST);
        if (node.auto) {
            return generate(node.auto, this.#facts);
        }

        let filled = value;
        for (const other of node.inPlace) {
            filled = other.isGenerated ? this.fill(other, filled) : filled;
        }

        filled = this.#fillInside(node, filled);
        return this.#fillBranches(node, filled);
    }

    #fillInside(node: PlanNode, value: JsonValue): JsonValue {

        if (Array.isArray(value)) {
            return this.#fillElements(node, value);
        }

        return isJsonObject(value) ? this.#fillMembers(node, value) : value;
    }

    #fillMembers(node: PlanNode, value: JsonObject): JsonObject {

        let filled = value;
        const put = (name: string, child: PlanNode): void => {

            const before = Object.hasOwn(filled, name) ? filled[name] : undefined;
            const after = before === undefined ? this.#generateAbsent(child) : this.fill(child, before);
            if (after !== undefined && after !== before) {
                // Copied once: a content of thousands of properties is copied for each of them otherwise.
                filled = filled === value ? { ...value } : filled;
                setMember(filled, name, after);
            }
        };

        for (const [name, child] of node.properties) {
            if (child.isGenerated) {
                put(name, child);
            }
        }

        if (node.patterns.length > 0 || node.others) {
            for (const name of Object.keys(value)) {
                nodesByName(node, name).filter((child) => child.isGenerated).forEach((child) => put(name, child));
            }
        }

        for (const [name, child] of node.dependents) {
            const dependent = child.isGenerated && Object.hasOwn(filled, name) ? this.fill(child, filled) : filled;
            filled = isJsonObject(dependent) ? dependent : filled;
        }

        return filled;
    }

    /** The value of a property that is not there: the one that its schema, or a schema that this one refers to, has generated. */
    #generateAbsent(node: PlanNode): JsonValue | undefined {

        spend(VISIT_COST);
        if (node.auto) {
            return generate(node.auto, this.#facts);
        }

        for (const other of node.inPlace) {
            const value = other.isGenerated ? this.#generateAbsent(other) : undefined;
            if (value !== undefined) {
                return value;
            }
        }

        return undefined;
    }

    #fillElements(node: PlanNode, value: JsonValue[]): JsonValue[] {

        let isChanged = false;
        const filled = value.map((element, index) => {

            let after = element;
            for (const child of nodesByIndex(node, index)) {
                after = child.isGenerated ? this.fill(child, after) : after;
            }

            if (node.contains?.node.isGenerated) {
                after = this.#tryBranch(node.contains, after) ?? after;
            }

            isChanged ||= after !== element;
            return after;
        });
        return isChanged ? copyNumberTexts(value, filled) : value;
    }

    #fillBranches(node: PlanNode, value: JsonValue): JsonValue {

        let filled = value;
        for (const { isExclusive, options } of node.alternatives) {
            for (const option of options) {
                const branch = option.node.isGenerated ? this.#tryBranch(option, filled) : undefined;
                filled = branch ?? filled;
                if (branch !== undefined && isExclusive) {
                    break;
                }
            }
        }

        if (node.condition) {
            const { test, then, otherwise } = node.condition;
            const tried = test.node.isGenerated ? this.#tryBranch(test, filled) : undefined;
            filled = tried ?? filled;
            const branch = this.#matches(test.schema, filled) ? then : otherwise;
            filled = branch?.isGenerated ? this.fill(branch, filled) : filled;
        }

        return filled;
    }

    /** The value filled as a branch asks for it, when it then matches the branch; undefined when it does not. */
    #tryBranch(option: PlanOption, value: JsonValue): JsonValue | undefined {

        const candidate = this.fill(option.node, value);
        return this.#matches(option.schema, candidate) ? candidate : undefined;
    }
}

/** Defined, not assigned: a member called __proto__ must stay one. */
function setMember(object: JsonObject, name: string, value: JsonValue): void {

    if (name === '__proto__') {
        Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    }
    else {
        object[name] = value;
    }
}
