/**
 * A schema ready for use: validates content, fills its generated fields, finds its annotations, orders its properties.
 */

import type { ContentError } from '../errors/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { PlanNode } from './annotations/annotation-plan.js';
import { buildPlan } from './annotations/annotation-plan.js';
import { collectAnnotations } from './annotations/annotations.js';
import type { GeneratedFacts } from './annotations/generated-values.js';
import { fillGenerated, type FillRules } from './annotations/generated-fields.js';
import type { Order } from './schema/property-order.js';
import { orderOf, reorder } from './schema/property-order.js';
import type { Validator } from './schema/compiler.js';
import { compileSchemas } from './schema/compiler.js';
import type { SchemaDocument } from './schema/document.js';
import { contentErrors } from './schema/error-messages.js';
import type { LinkedSchema, SchemaLookup } from './schema/linked-schema.js';
import { linkSchema, UnusableSchema } from './schema/linker.js';
import type { Schema } from './schema/shapes.js';
import { BudgetExceeded } from '../util/concurrency/time-budget.js';
import type { Annotation } from '../model/processed-content.js';

/** More faults than this are not told. */
const MAX_ERRORS = 20;

/** Content with more values than this is told its first fault only: looking for all of them could fill the memory. */
const MAX_SEARCHED = 2000;

/** A schema that was linked and compiled. Immutable for its users, who bound what they do with it by a budget. */
export class CompiledSchema {

    /** Every other schema that was asked for, and what was found. */
    readonly dependencies: LinkedSchema['dependencies'];
    readonly #targets: readonly Schema[];
    readonly #plan: PlanNode;
    readonly #order: Order | undefined;
    readonly #validator: Validator;
    /** A validator that goes on after the first fault; made when content is found faulty. */
    #searching: Validator | undefined;

    private constructor({ targets, dependencies }: LinkedSchema) {

        this.dependencies = dependencies;
        this.#targets = targets;
        this.#order = orderOf(targets);
        this.#plan = buildPlan(targets);
        this.#validator = compileSchemas(targets, false);
    }

    /**
     * Links the schema of a document. Its parts are compiled when they are first needed.
     *
     * @param keywordNames under which the extension keyword is read.
     * @throws UnusableSchema
     */
    static compile(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): CompiledSchema {

        const linked = linkSchema(document, lookup, keywordNames);
        try {
            return new CompiledSchema(linked);
        }
        catch (error) {
            if (error instanceof RangeError) {
                throw new UnusableSchema([{ pointer: '', message: 'refers through too many schemas' }], [], linked.dependencies);
            }

            throw error;
        }
    }

    /** Compiles all parts now. @throws UnusableSchema */
    complete(): void {

        try {
            this.#validator.compileAll();
        }
        catch (error) {
            const message = error instanceof RangeError ? 'is too large to be compiled' : `cannot be compiled: ${(error as Error).message}`;
            throw new UnusableSchema([{ pointer: '', message }], [], this.dependencies);
        }
    }

    /** What is wrong with content; empty when it is valid. */
    validate(content: JsonValue): ContentError[] {

        const errors = this.#validator.errors(content);
        if (errors.length === 0) {
            return [];
        }

        const first = contentErrors(errors, content, MAX_ERRORS);
        return isLarger(content, MAX_SEARCHED) ? first : this.#allFaults(content) ?? first;
    }

    /** The extension keyword wherever it applies to the content. Best effort for content that is not valid. */
    annotate(content: JsonValue): Annotation[] {

        return collectAnnotations(this.#plan, content, this.#validator.matches);
    }

    /** True when some content may have values for logging in, or members of a group. */
    get hasAuthRoles(): boolean {

        return this.#plan.hasAuthRole;
    }

    /** The content with its generated fields; see {@link fillGenerated}. */
    fill(content: JsonObject, facts: GeneratedFacts & FillRules): JsonObject {

        return fillGenerated(this.#plan, content, facts, this.#validator.matches);
    }

    /** The content with its properties in order; see {@link reorder}. */
    reorder(content: JsonObject): JsonObject {

        return reorder(content, this.#order);
    }

    /** All faults; undefined when it takes too long to find them. */
    #allFaults(content: JsonValue): ContentError[] | undefined {

        this.#searching ??= compileSchemas(this.#targets, true);
        try {
            return contentErrors(this.#searching.errors(content), content, MAX_ERRORS);
        }
        catch (error) {
            if (error instanceof BudgetExceeded) {
                return undefined;
            }

            throw error;
        }
    }
}

/** True when JSON has more values than a number of them; stops counting there. */
function isLarger(value: JsonValue, limit: number): boolean {

    const pending = [value];
    let count = 0;
    for (let next = pending.pop(); next !== undefined && count <= limit; next = pending.pop()) {
        count += 1;
        if (typeof next === 'object' && next !== null) {
            for (const child of Object.values(next)) {
                pending.push(child);
                if (pending.length > limit) {
                    return true;
                }
            }
        }
    }

    return count > limit;
}
