/**
 * Evaluation plan for annotations, built once per schema: a graph without the parts of the schema that lead to no annotation,
 * so that walking it along content is cheap.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { AutoField } from './generated-values.js';
import { autoFieldOf } from './generated-values.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import type { Steps } from '../../util/concurrency/steps.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import { ANNOTATION, eitherOf, listOf, propertiesOf, referredBy } from '../schema/linked-schema.js';
import { authRoleOf, isSecure } from './roles.js';
import type { Schema } from '../schema/shapes.js';

/** A part of a schema that applies only to content that matches it. */
export interface PlanOption {
    readonly schema: Schema;
    readonly node: PlanNode;
}

/** `anyOf` or `oneOf`. In an exclusive group (`oneOf`) only one option counts. */
export interface PlanAlternatives {
    readonly isExclusive: boolean;
    readonly options: readonly PlanOption[];
    /** Those of an exclusive group that lead to no annotation. Where one of them applies, no other one does. */
    readonly others: readonly Schema[];
}

/** Annotations of one value and of the values inside. */
export interface PlanNode {
    readonly keyword: JsonObject | undefined;
    readonly auto: AutoField | undefined;
    properties: (readonly [name: string, node: PlanNode])[];
    patterns: (readonly [pattern: SafeRegExp, node: PlanNode])[];
    /** For members named by neither `properties` nor `patternProperties`. */
    additional: { readonly names: ReadonlySet<string>; readonly patterns: readonly SafeRegExp[]; readonly node: PlanNode } | undefined;
    /** For the first elements of an array, by index. */
    tuple: (PlanNode | undefined)[];
    /** For the elements after the tuple; `from` is the index of the first one. */
    items: { readonly from: number; readonly node: PlanNode } | undefined;
    contains: PlanOption | undefined;
    /** Schemas that always apply to the same value: references and `allOf`. */
    applied: PlanNode[];
    alternatives: PlanAlternatives[];
    condition: { readonly test: PlanOption; readonly then: PlanNode | undefined; readonly otherwise: PlanNode | undefined } | undefined;
    dependents: (readonly [name: string, node: PlanNode])[];
    /** Names of required members. */
    readonly required: ReadonlySet<string>;
    /** Those of `applied` that require members, directly or indirectly. */
    requiring: readonly PlanNode[];
    /** True if it, or a node it leads to, has an annotation. `isGenerated`: the same for generated fields. */
    isMarked: boolean;
    isGenerated: boolean;
    /** True if it, or a node it leads to, has a role for authentication or groups. */
    hasAuthRole: boolean;
    /** True if it, or a node it leads to, is a secure property. */
    hasSecret: boolean;
    /** True if it, or a node that always applies to the same value, requires members. */
    isRequiring: boolean;
}

/** Builds the plan of linked schemas. */
export function buildPlan(targets: readonly Schema[]): Steps<PlanNode> {

    return new Planner(targets).plan();
}

class Planner {

    readonly #targets: readonly Schema[];
    readonly #nodes = new Map<JsonObject, PlanNode>();
    /** Schemas whose nodes are empty so far. */
    readonly #pending: [schema: JsonObject, node: PlanNode][] = [];

    constructor(targets: readonly Schema[]) {

        this.#targets = targets;
    }

    *plan(): Steps<PlanNode> {

        const root = this.#nodeOf(this.#targets[0] ?? true);
        for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
            this.#fill(...next);
            yield;
        }

        const nodes = [...this.#nodes.values()];
        yield* mark(nodes, 'isMarked', ({ keyword }) => keyword !== undefined);
        yield* mark(nodes, 'isGenerated', ({ auto }) => auto !== undefined);
        yield* mark(nodes, 'hasAuthRole', ({ keyword }) => keyword !== undefined && authRoleOf(keyword) !== undefined);
        yield* mark(nodes, 'hasSecret', ({ keyword }) => keyword !== undefined && isSecure(keyword));
        yield* mark(nodes, 'isRequiring', ({ required }) => required.size > 0, ({ applied }) => applied);
        for (const node of nodes) {
            prune(node);
            yield;
        }

        return root;
    }

    /** Returns the node of a schema, which is filled in a step of its own. */
    #nodeOf(schema: JsonValue | undefined): PlanNode {

        if (!isJsonObject(schema)) {
            return emptyNode({});
        }

        return getOrAdd(this.#nodes, schema, () => {

            const node = emptyNode(schema);
            this.#pending.push([schema, node]);
            return node;
        });
    }

    #fill(schema: JsonObject, node: PlanNode): void {

        this.#addSamePlace(node, schema);
        this.#addMembers(node, schema);
        this.#addElements(node, schema);
    }

    #addSamePlace(node: PlanNode, schema: JsonObject): void {

        node.applied = [referredBy(schema, this.#targets), ...listOf(eitherOf(schema, 'allOf'))].map((part) => this.#nodeOf(part));
        for (const [keyword, isExclusive] of [['anyOf', false], ['oneOf', true]] as const) {
            const options = listOf(eitherOf(schema, keyword));
            if (options.length > 0) {
                node.alternatives.push({ isExclusive, options: options.map((part) => this.#option(part)), others: [] });
            }
        }

        if (schema['if'] !== undefined) {
            node.condition = {
                test: this.#option(schema['if']),
                then: this.#optionalNode(schema['then']),
                otherwise: this.#optionalNode(schema['else'])
            };
        }
    }

    #addMembers(node: PlanNode, schema: JsonObject): void {

        const patterns = membersOf(eitherOf(schema, 'patternProperties')).map(([source, part]) => [SafeRegExp.of(source), part] as const);
        node.properties = propertiesOf(schema).map(([name, part]) => [name, this.#nodeOf(part)]);
        node.patterns = patterns.map(([pattern, part]) => [pattern, this.#nodeOf(part)]);
        if (isJsonObject(schema['additionalProperties'])) {
            const names = new Set(node.properties.map(([name]) => name));
            node.additional = { names, patterns: patterns.map(([pattern]) => pattern), node: this.#nodeOf(schema['additionalProperties']) };
        }

        const dependents = [...membersOf(schema['dependentSchemas']), ...membersOf(schema['dependencies'])];
        node.dependents = dependents.map(([name, part]) => [name, this.#nodeOf(part)]);
    }

    #addElements(node: PlanNode, schema: JsonObject): void {

        const { additionalItems } = schema;
        const items = eitherOf(schema, 'items');
        const tuple = listOf(items);
        const rest = Array.isArray(items) ? additionalItems : items;
        node.tuple = tuple.map((part) => this.#nodeOf(part));
        if (isJsonObject(rest)) {
            node.items = { from: tuple.length, node: this.#nodeOf(rest) };
        }

        if (isJsonObject(schema['contains'])) {
            node.contains = this.#option(schema['contains']);
        }
    }

    #optionalNode(schema: JsonValue | undefined): PlanNode | undefined {

        return isJsonObject(schema) ? this.#nodeOf(schema) : undefined;
    }

    #option(schema: JsonValue | undefined): PlanOption {

        return { schema: isJsonObject(schema) ? schema : schema !== false, node: this.#nodeOf(schema) };
    }
}

/** Removes children that lead to no annotation. */
function prune(node: PlanNode): void {

    node.properties = node.properties.filter(([, child]) => child.isMarked);
    node.patterns = node.patterns.filter(([, child]) => child.isMarked);
    node.additional = node.additional?.node.isMarked ? node.additional : undefined;
    node.tuple = node.tuple.map((child) => (child?.isMarked ? child : undefined));
    node.items = node.items?.node.isMarked ? node.items : undefined;
    node.contains = node.contains?.node.isMarked ? node.contains : undefined;
    node.requiring = node.applied.filter((child) => child.isRequiring);
    node.applied = node.applied.filter((child) => child.isMarked);
    node.dependents = node.dependents.filter(([, child]) => child.isMarked);
    node.alternatives = node.alternatives.map(({ isExclusive, options }) => ({
        isExclusive,
        options: options.filter((option) => option.node.isMarked),
        others: isExclusive ? options.filter((option) => !option.node.isMarked).map(({ schema }) => schema) : []
    }));
    const { test, then, otherwise } = node.condition ?? {};
    node.condition = [test?.node, then, otherwise].some((child) => child?.isMarked) ? node.condition : undefined;
}

function emptyNode(schema: JsonObject): PlanNode {

    const keyword = isJsonObject(schema[ANNOTATION]) ? schema[ANNOTATION] : undefined;
    return {
        keyword, auto: keyword && autoFieldOf(keyword), properties: [], patterns: [], additional: undefined, tuple: [], items: undefined,
        contains: undefined, applied: [], alternatives: [], condition: undefined, dependents: [],
        required: new Set(listOf(schema['required']).filter((name) => typeof name === 'string')), requiring: [],
        isMarked: false, isGenerated: false, hasAuthRole: false, hasSecret: false, isRequiring: false
    };
}

/** Sets a flag on all nodes that satisfy `has`, and on their ancestors. */
function *mark(
    nodes: readonly PlanNode[], flag: 'isMarked' | 'isGenerated' | 'hasAuthRole' | 'hasSecret' | 'isRequiring', has: (node: PlanNode) => boolean,
    leadsTo = childrenOf
): Steps<void> {

    const pending = nodes.filter(has);
    if (pending.length === 0) {
        return;                                             // Most schemas have few kinds of annotations
    }

    const parents = new Map<PlanNode, PlanNode[]>();
    for (const node of nodes) {
        for (const child of leadsTo(node)) {
            const existing = parents.get(child) ?? [];
            parents.set(child, existing);
            existing.push(node);
        }

        yield;
    }

    for (let node = pending.pop(); node; node = pending.pop()) {
        if (!node[flag]) {
            node[flag] = true;
            pending.push(...parents.get(node) ?? []);
        }

        yield;
    }
}

function childrenOf(node: PlanNode): PlanNode[] {

    const { additional, items, contains, condition } = node;
    const alternatives = node.alternatives.flatMap(({ options }) => options.map((option) => option.node));
    const single = [additional?.node, items?.node, contains?.node, condition?.test.node, condition?.then, condition?.otherwise];
    const named = [...node.properties, ...node.patterns, ...node.dependents].map(([, child]) => child);
    return [...named, ...node.tuple, ...node.applied, ...alternatives, ...single].filter((child) => child !== undefined);
}

function membersOf(value: JsonValue | undefined): [string, JsonValue][] {

    return isJsonObject(value) ? Object.entries(value) : [];
}
