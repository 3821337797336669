/**
 * A compiled schema: validates content, fills generated fields, collects annotations, orders properties.
 */

import type { ContentError } from '../errors/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { PlanNode } from './annotations/annotation-plan.js';
import { buildPlan } from './annotations/annotation-plan.js';
import { collectAnnotations } from './annotations/annotations.js';
import type { GenerationInputs } from './annotations/generated-values.js';
import { fillGenerated, type FillRules } from './annotations/generated-fields.js';
import type { Order } from './schema/property-order.js';
import { orderOf, reorder } from './schema/property-order.js';
import type { Validator } from './schema/compiler.js';
import { compileSchemas } from './schema/compiler.js';
import type { SchemaDocument } from './schema/document.js';
import { contentErrors } from './schema/error-messages.js';
import type { LinkedSchema, SchemaLookup } from './schema/linked-schema.js';
import { linkSchema, UnusableSchema } from './schema/linker.js';
import { atOnce, type Steps } from '../util/concurrency/steps.js';
import { BudgetExceeded } from '../util/concurrency/time-budget.js';
import type { Annotation } from '../model/processed-content.js';

/** Maximum number of errors that are reported. */
const MAX_ERRORS = 20;

/** For content with more values than this only the first error is reported: collecting all of them could exhaust the memory. */
const MAX_SEARCHED = 500;

/** Number of subschemas of which all parts are compiled within some milliseconds. */
const SMALL = 30;

/** A linked schema with its validator. Immutable for its users, who limit the work by a time budget. */
export class CompiledSchema {

    /** Lookups of other schemas with their results; see {@link LinkedSchema}. */
    readonly dependencies: LinkedSchema['dependencies'];
    readonly #linked: LinkedSchema;
    readonly #plan: PlanNode;
    readonly #order: Order | undefined;
    readonly #validator: Validator;
    /** Validator that goes on after the first error; created when it is first needed. */
    #searching: Validator | undefined;
    /** True once all parts of a large schema are compiled. */
    #isCompiled = false;

    private constructor(linked: LinkedSchema, plan: PlanNode, order: Order | undefined) {

        this.dependencies = linked.dependencies;
        this.#linked = linked;
        this.#plan = plan;
        this.#order = order;
        this.#validator = compileSchemas(linked, false);
    }

    /**
     * Links the schema of a document. Its parts are compiled on first use.
     *
     * @param keywordNames names under which the extension keyword is read
     * @throws UnusableSchema
     */
    static *link(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): Steps<CompiledSchema> {

        const linked = yield* linkSchema(document, lookup, keywordNames);
        return new CompiledSchema(linked, yield* buildPlan(linked.targets), yield* orderOf(linked.targets));
    }

    /** The same, but returns the error if the schema is not usable. */
    static *linkIfUsable(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): Steps<CompiledSchema | UnusableSchema> {

        try {
            return yield* CompiledSchema.link(document, lookup, keywordNames);
        }
        catch (error) {
            if (error instanceof UnusableSchema) {
                return error;
            }

            throw error;
        }
    }

    /** Compiles a large schema, whose use would take long otherwise. What cannot be compiled is found when it is used. */
    *compileParts(): Steps<void> {

        if (this.#linked.size <= SMALL || this.#isCompiled) {
            return;
        }

        try {
            yield* this.#validator.compileEach(true);
            this.#isCompiled = true;
        }
        catch {
            // Thrown again when the part is used, as an error of this schema.
        }
    }

    /** Compiles what is not compiled yet. @throws UnusableSchema */
    complete(): void {

        try {
            atOnce(this.#validator.compileEach(false));
        }
        catch (error) {
            const message = error instanceof RangeError ? 'is too large to be compiled' : `cannot be compiled: ${(error as Error).message}`;
            throw new UnusableSchema([{ pointer: '', message }], [], this.dependencies);
        }
    }

    /** Returns the errors of content; empty if it is valid. */
    validate(content: JsonValue): ContentError[] {

        const errors = this.#validator.errors(content);
        if (errors.length === 0) {
            return [];
        }

        const first = contentErrors(errors, content, MAX_ERRORS);
        return isLarger(content, MAX_SEARCHED) ? first : this.#allErrors(content) ?? first;
    }

    /** Returns the annotations of content. Best effort if the content is invalid. */
    annotate(content: JsonValue): Annotation[] {

        return collectAnnotations(this.#plan, content, this.#validator.matches);
    }

    /** True if content may have values for authentication, or members of a group. */
    get hasAuthRoles(): boolean {

        return this.#plan.hasAuthRole;
    }

    /** True if content may have secure properties. */
    get hasSecrets(): boolean {

        return this.#plan.hasSecret;
    }

    /** Returns the content with its generated fields; see {@link fillGenerated}. */
    fill(content: JsonObject, inputs: GenerationInputs & FillRules): JsonObject {

        return fillGenerated(this.#plan, content, inputs, this.#validator.matches);
    }

    /** Returns the content with its properties in order; see {@link reorder}. */
    reorder(content: JsonObject): JsonObject {

        return reorder(content, this.#order);
    }

    /** Returns all errors; undefined if finding them exceeds the time budget. */
    #allErrors(content: JsonValue): ContentError[] | undefined {

        this.#searching ??= compileSchemas(this.#linked, true);
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

/** True if JSON has more values than `limit`. Stops counting there. */
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
