/**
 * Writes generated fields into content before validation, so that their input is never invalid. A field is filled where the
 * content has it, even empty, and where it is required; otherwise it stays absent. A field in a branch of alternatives is
 * filled if the content, with the field, matches the branch; in `oneOf`, that of a branch which the content matches without it comes first.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { copyNumberTexts } from '../../json/exact-numbers.js';
import type { PlanAlternatives, PlanNode, PlanOption } from './annotation-plan.js';
import { nodesByIndex, nodesByName } from './annotations.js';
import type { NamedNodes } from './named-nodes.js';
import { MemberNames, positionsOf } from './named-nodes.js';
import type { AutoField, GenerationInputs } from './generated-values.js';
import { generate } from './generated-values.js';
import type { MatchTest } from '../schema/compiler.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { spend } from '../../util/concurrency/time-budget.js';

/** Approximate cost of a visit, in steps of the time budget. */
const VISIT_COST = 20;

/** Fields that are added to content that lacks them although they are not required. */
export interface FillRules {
    /** True for the id of the object, at the top level of its content. */
    readonly addsHandle: boolean;
}

/** Returns the content with its generated fields. Does not modify the given content; unchanged parts are shared. */
export function fillGenerated(plan: PlanNode, content: JsonObject, inputs: GenerationInputs & FillRules, matches: MatchTest): JsonObject {

    const top: Scope = { nodes: [plan], addsHandle: inputs.addsHandle };
    const filled = plan.isGenerated ? new Filler(inputs, matches).fill(plan, content, top) : content;
    return isJsonObject(filled) ? filled : content;
}

/** Schemas that apply to one value. */
interface Scope extends FillRules {
    /** The schema of the value, and those of its branches that are being tried. */
    readonly nodes: readonly PlanNode[];
}

class Filler {

    readonly #inputs: GenerationInputs;
    readonly #matches: MatchTest;
    readonly #names = new MemberNames();

    constructor(inputs: GenerationInputs, matches: MatchTest) {

        this.#inputs = inputs;
        this.#matches = matches;
    }

    /** Returns the value with its generated fields. */
    fill(node: PlanNode, value: JsonValue, scope: Scope = { nodes: [node], addsHandle: false }): JsonValue {

        spend(VISIT_COST);
        if (node.auto) {
            return generate(node.auto, this.#inputs);
        }

        let filled = value;
        for (const other of node.applied) {
            filled = other.isGenerated ? this.fill(other, filled, scope) : filled;
        }

        filled = this.#fillInside(node, filled, scope);
        return this.#fillBranches(node, filled, scope);
    }

    #fillInside(node: PlanNode, value: JsonValue, scope: Scope): JsonValue {

        if (Array.isArray(value)) {
            return this.#fillElements(node, value);
        }

        return isJsonObject(value) ? this.#fillMembers(node, value, scope) : value;
    }

    #fillMembers(node: PlanNode, value: JsonObject, scope: Scope): JsonObject {

        let filled = value;
        const put = (name: string, child: PlanNode): void => {

            const before = Object.hasOwn(filled, name) ? filled[name] : undefined;
            const after = before === undefined ? this.#generateAbsent(name, child, scope) : this.fill(child, before);
            if (after !== undefined && after !== before) {
                // Copied once per object, not once per property.
                filled = filled === value ? { ...value } : filled;
                setMember(filled, name, after);
            }
        };

        const properties = scope.addsHandle ? node.properties :
            this.#names.select(node.properties, value, () => scope.nodes.flatMap((other) => requiredOf(node.properties, other)));
        for (const [name, child] of properties) {
            if (child.isGenerated) {
                put(name, child);
            }
        }

        if (node.patterns.length > 0 || node.additional) {
            for (const name of Object.keys(value)) {
                nodesByName(node, name).filter((child) => child.isGenerated).forEach((child) => put(name, child));
            }
        }

        for (const [name, child] of node.dependents) {
            const dependent = child.isGenerated && Object.hasOwn(filled, name) ? this.fill(child, filled, scopeOf(scope, child)) : filled;
            filled = isJsonObject(dependent) ? dependent : filled;
        }

        return filled;
    }

    /** Returns the generated value of an absent property; undefined if it stays absent. */
    #generateAbsent(name: string, node: PlanNode, scope: Scope): JsonValue | undefined {

        const auto = fieldOf(node, new Set());
        const isAdded = auto && (auto.name === 'handle' && scope.addsHandle || isRequired(name, scope.nodes, new Set()));
        return isAdded ? generate(auto, this.#inputs) : undefined;
    }

    #fillElements(node: PlanNode, value: JsonValue[]): JsonValue[] {

        let isChanged = false;
        const filled = value.map((element, index) => {

            let after = element;
            for (const child of nodesByIndex(node, index)) {
                after = child.isGenerated ? this.fill(child, after) : after;
            }

            if (node.contains?.node.isGenerated) {
                after = this.#tryBranch(node.contains, after, INNER) ?? after;
            }

            isChanged ||= after !== element;
            return after;
        });
        return isChanged ? copyNumberTexts(value, filled) : value;
    }

    #fillBranches(node: PlanNode, value: JsonValue, scope: Scope): JsonValue {

        let filled = value;
        for (const group of node.alternatives) {
            filled = group.isExclusive ? this.#fillExclusive(group, filled, scope) : this.#fillMatching(group, filled, scope);
        }

        if (node.condition) {
            const { test, then, otherwise } = node.condition;
            const result = test.node.isGenerated ? this.#tryBranch(test, filled, scope) : undefined;
            filled = result ?? filled;
            const branch = this.#matches(test.schema, filled) ? then : otherwise;
            filled = branch?.isGenerated ? this.fill(branch, filled, scopeOf(scope, branch)) : filled;
        }

        return filled;
    }

    #fillMatching({ options }: PlanAlternatives, value: JsonValue, scope: Scope): JsonValue {

        let filled = value;
        for (const option of options) {
            filled = option.node.isGenerated ? this.#tryBranch(option, filled, scope) ?? filled : filled;
        }

        return filled;
    }

    /** Fills the option that the value matches as it is, as values of another one could make it match several; without one, the first that matches then. */
    #fillExclusive({ options, others }: PlanAlternatives, value: JsonValue, scope: Scope): JsonValue {

        const generated = options.filter((option) => option.node.isGenerated);
        if (generated.length === 0) {
            return value;
        }

        const applying = options.find(({ schema }) => this.#matches(schema, value));
        if (applying) {
            return applying.node.isGenerated ? this.fill(applying.node, value, scopeOf(scope, applying.node)) : value;
        }

        if (others.some((schema) => this.#matches(schema, value))) {
            return value;
        }

        for (const option of generated) {
            const filled = this.#tryBranch(option, value, scope);
            if (filled !== undefined) {
                return filled;
            }
        }

        return value;
    }

    /** Returns the value filled according to a branch if it then matches the branch; otherwise undefined. */
    #tryBranch(option: PlanOption, value: JsonValue, scope: Scope): JsonValue | undefined {

        const candidate = this.fill(option.node, value, scopeOf(scope, option.node));
        return this.#matches(option.schema, candidate) ? candidate : undefined;
    }
}

/** Sets a member. defineProperty, because an assignment to __proto__ would set the prototype. */
function setMember(object: JsonObject, name: string, value: JsonValue): void {

    if (name === '__proto__') {
        Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    }
    else {
        object[name] = value;
    }
}

/** Scope of a value that is not the whole content. */
const INNER: Scope = { nodes: [], addsHandle: false };

/** Returns the scope of the same value with one more schema. */
function scopeOf({ nodes, ...rules }: Scope, node: PlanNode): Scope {

    return { ...rules, nodes: [...nodes, node] };
}

/** Positions of the required properties, by list of properties and requiring node. */
const required = new WeakMap<NamedNodes, WeakMap<PlanNode, readonly number[]>>();

/** Returns the positions of the properties that a schema, or a schema it refers to, requires. */
function requiredOf(properties: NamedNodes, node: PlanNode): readonly number[] {

    const byNode = getOrAdd(required, properties, () => new WeakMap<PlanNode, readonly number[]>());
    return getOrAdd(byNode, node, () => {

        const positions = positionsOf(properties);
        return [...requiringNodes(node, new Set())].flatMap((other) => [...other.required].flatMap((name) => positions.get(name) ?? []));
    });
}

function requiringNodes(node: PlanNode, seen: Set<PlanNode>): Set<PlanNode> {

    if (!seen.has(node)) {
        spend(VISIT_COST + node.required.size);
        seen.add(node);
        node.requiring.forEach((other) => requiringNodes(other, seen));
    }

    return seen;
}

/** Returns the generated field of a schema or of a schema it refers to. */
function fieldOf(node: PlanNode, seen: Set<PlanNode>): AutoField | undefined {

    spend(VISIT_COST);
    if (node.auto || seen.has(node)) {
        return node.auto;
    }

    seen.add(node);
    for (const other of node.applied) {
        const auto = other.isGenerated ? fieldOf(other, seen) : undefined;
        if (auto) {
            return auto;
        }
    }

    return undefined;
}

/** True if one of the schemas, or a schema it refers to, requires a property. */
function isRequired(name: string, nodes: readonly PlanNode[], seen: Set<PlanNode>): boolean {

    return nodes.some((node) => {

        spend(VISIT_COST);
        if (node.required.has(name)) {
            return true;
        }

        const isNew = !seen.has(node);
        seen.add(node);
        return isNew && isRequired(name, node.requiring, seen);
    });
}
