/**
 * Collects what one type needs: its schema and, through references, parts of the schemas of other types. The result is a flat
 * list of schemas in one uniform dialect, so that the compiler sees no ids, drafts or URIs, and schemas of different drafts can
 * refer to each other.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { approximateLength } from '../../util/concurrency/event-loop-yielder.js';
import type { Steps } from '../../util/concurrency/steps.js';
import { mergedKeyword } from './extension-keyword.js';
import type { LinkedSchema, SchemaLookup } from './linked-schema.js';
import { ANNOTATION, CONTAINS_ALONE, listOf, LONG_CONST, LONG_ENUM, separate, withReference } from './linked-schema.js';
import type { SchemaDocument, Subschema } from './document.js';
import { endlessError } from './ref-cycles.js';
import { formatIn } from './formats.js';
import type { Layout } from './parts.js';
import { layoutOf, MAX_PART_SIZE, separateIn } from './parts.js';
import { ReferenceResolver } from './ref-resolver.js';
import type { Schema } from './shapes.js';
import { mapSubschemas, subschemasOf } from './shapes.js';
import { isRemote } from './uri.js';
import type { Draft, Shape } from './vocabulary.js';
import { shapeOf } from './vocabulary.js';

/** Maximum number of subschemas of a schema, including everything it refers to. */
const MAX_LINKED = 10_000;

/** Longer enums are checked by a hash lookup instead of one comparison per value. */
const SHORT_ENUM = 20;

/** Length in characters of the text of an enum or `const`. Longer ones are checked by a key too, as their text would be part of the code. */
const SHORT_TEXT = 2000;

/** Number of subschemas that are converted in one step. */
const PER_STEP = 10;

/** Keywords with subschemas that a value may be matched with alone, to find what applies to it. */
const MATCHED = new Set(['anyOf', 'oneOf', 'if', 'contains']);

/** Thrown for a schema that cannot be used. */
export class UnusableSchema extends Error {

    readonly errors: readonly ContentError[];
    /** Types, by name or schema URI, that it refers to and that do not exist. If there are no `errors`, creating them makes the schema usable. */
    readonly missingTypes: readonly string[];
    readonly dependencies: LinkedSchema['dependencies'];

    constructor(errors: readonly ContentError[], missingTypes: readonly string[], dependencies: LinkedSchema['dependencies']) {

        const first = errors[0];
        super(first ? `${first.pointer}: ${first.message}` : `refers to the ${missing(missingTypes[0] ?? '')}, which does not exist`);
        this.name = 'UnusableSchema';
        this.errors = errors;
        this.missingTypes = missingTypes;
        this.dependencies = dependencies;
    }
}

function missing(type: string): string {

    return `${isRemote(type) ? 'schema' : 'type'} ${type}`;
}

/** Links a schema with everything it refers to. @throws UnusableSchema */
export function *linkSchema(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): Steps<LinkedSchema> {

    yield* document.examine();
    return yield* new Linker(document, lookup, keywordNames).link();
}

class Linker {

    readonly #root: SchemaDocument;
    readonly #keywordNames: readonly string[];
    readonly #references: ReferenceResolver;
    /** Targets in the order of their numbers. */
    readonly #ordered: Subschema[] = [];
    readonly #numbers = new Map<Subschema, number>();
    readonly #errors: ContentError[] = [];
    /** Errors of subschemas to which references lead. */
    readonly #erroneous = new Set<readonly ContentError[]>();
    readonly #missing = new Set<string>();
    readonly #parts: Schema[] = [];
    readonly #matched: Schema[] = [];
    #count = 0;
    /** Number of subschemas of the present part. */
    #size = 0;
    /** True if members of content are annotated, or left to `unevaluated…`: this depends on the alternatives that it matches. */
    #isMatching = false;

    constructor(root: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]) {

        this.#root = root;
        this.#keywordNames = keywordNames;
        this.#references = new ReferenceResolver(root, lookup);
    }

    *link(): Steps<LinkedSchema> {

        const dependencies = this.#references.lookups;
        if (this.#root.errors.length > 0) {
            throw new UnusableSchema(this.#root.errors, [], dependencies);
        }

        const targets = yield* this.#convertAll();
        if (this.#count > MAX_LINKED) {
            this.#errors.push({ pointer: '', message: `has, with all it refers to, more than ${MAX_LINKED} subschemas` });
        }

        const errors = this.#errors;
        const isComplete = errors.length === 0 && this.#missing.size === 0;
        const endless = isComplete ? yield* endlessError(targets) : [];
        if (!isComplete || endless.length > 0) {
            throw new UnusableSchema([...errors, ...endless], [...this.#missing], dependencies);
        }

        return { targets, parts: [...this.#parts, ...this.#isMatching ? this.#matched : []], size: this.#count, dependencies };
    }

    *#convertAll(): Steps<Schema[]> {

        const targets: Schema[] = [];
        this.#numberOf(this.#root.root);
        for (let i = 0; i < this.#ordered.length && this.#count <= MAX_LINKED; ++i) {
            targets.push(yield* this.#convertPart(this.#ordered[i] ?? this.#root.root));
        }

        return targets;
    }

    #numberOf(subschema: Subschema): number {

        let number = this.#numbers.get(subschema);
        if (number === undefined) {
            number = this.#ordered.length;
            this.#numbers.set(subschema, number);
            this.#ordered.push(subschema);
        }

        return number;
    }

    *#convertPart(from: Subschema): Steps<Schema> {

        const outside = this.#size;
        this.#size = 0;
        const converted = yield* this.#convert(from, layoutIn(from));
        this.#size = outside;
        return converted;
    }

    *#convert(from: Subschema, layout: Layout): Steps<Schema> {

        this.#count += 1;
        if (this.#count % PER_STEP === 0) {
            yield;
        }

        if (!isJsonObject(from.schema)) {
            return from.schema;
        }

        this.#size += layout.size;
        const { draft } = from.resource.document;
        let converted: JsonObject = {};
        for (const [keyword, value] of Object.entries(from.schema)) {
            const shape = shapeOf(keyword, draft);
            if (shape === 'reference' && typeof value === 'string') {
                converted = withReference(converted, yield* this.#target(from, keyword, value));
            }
            else if (shape && keyword !== 'definitions' && keyword !== '$defs') {
                const references = keyword === 'allOf' ? listOf(converted['allOf']) : [];
                const subschemas = yield* this.#convertChildren(from, [keyword, shape, value], layout);
                converted[keyword] = references.length === 0 ? subschemas : [...listOf(subschemas), ...references];
            }
        }

        replaceFormat(converted, draft);

        const annotation = mergedKeyword(from.schema, this.#keywordNames);
        this.#isMatching ||= Boolean(annotation) || converted['unevaluatedProperties'] !== undefined || converted['unevaluatedItems'] !== undefined;
        return {
            ...uniform(converted, layout),
            ...(converted['contains'] !== undefined && draft === 2019 ? { [CONTAINS_ALONE]: true } : {}),
            ...(annotation ? { [ANNOTATION]: annotation } : {})
        };
    }

    /** Returns the value of a keyword with its subschemas converted. */
    *#convertChildren(from: Subschema, [keyword, shape, value]: [keyword: string, shape: Shape, value: JsonValue], layout: Layout): Steps<JsonValue> {

        const converted: Schema[] = [];
        for (const [path] of subschemasOf(shape, value)) {
            converted.push(yield* this.#convertChild(from, keyword, path, layout));
        }

        let next = 0;
        return mapSubschemas(shape, value, () => converted[next++] ?? false);
    }

    /** A subschema whose own ones do not fit into the present part becomes a part of its own. */
    *#convertChild(from: Subschema, keyword: string, path: string, { separated }: Layout): Steps<Schema> {

        const child = yield* from.resource.document.subschemaAt(`${from.pointer}/${keyword}${path}`, from.resource);
        if (!child || this.#count > MAX_LINKED) {
            return false;
        }

        this.#addErrorsOf(child);
        if (separated.has(keyword)) {
            const part = yield* this.#convertPart(child);
            this.#parts.push(part);
            return part;
        }

        const layout = layoutIn(child);
        const isPart = this.#size + layout.size > MAX_PART_SIZE && layout.size > 0;
        const converted = isPart ? withReference({}, this.#numberOf(child)) : yield* this.#convert(child, layout);
        if (MATCHED.has(keyword)) {
            this.#matched.push(converted);
        }

        return converted;
    }

    /** Returns the number of the target of a reference. If there is none, records the fault or the missing type and returns 0. */
    *#target(from: Subschema, keyword: string, reference: string): Steps<number> {

        const found = yield* this.#references.resolve(reference, keyword, from);
        if ('subschema' in found) {
            this.#addErrorsOf(found.subschema);
            return this.#numberOf(found.subschema);
        }

        if ('missingType' in found) {
            this.#missing.add(found.missingType);
            return 0;
        }

        this.#addError(from.resource.document, { pointer: `${from.pointer}/${keyword}`, message: found.message });
        return 0;
    }

    /** Adds the errors in the target of a reference, unless they are known. */
    #addErrorsOf({ errors, resource }: Subschema): void {

        if (errors.length > 0 && !this.#erroneous.has(errors)) {
            this.#erroneous.add(errors);
            errors.forEach((error) => this.#addError(resource.document, error));
        }
    }

    #addError(document: SchemaDocument, { pointer, message }: ContentError): void {

        this.#errors.push(document === this.#root ?
            { pointer, message } :
            { pointer: '', message: `refers to the schema ${document.name}, which is not usable: ${pointer}: ${message}` });
    }
}

function layoutIn({ schema, resource }: Subschema): Layout {

    return layoutOf(isJsonObject(schema) ? schema : {}, resource.document.draft);
}

/** Normalises differences between the drafts, and replaces keywords that would compile slowly or into too much code. */
function uniform(schema: JsonObject, layout: Layout): JsonObject {

    const out = { ...schema };
    replaceBooleanLimit(out, 'exclusiveMinimum', 'minimum');
    replaceBooleanLimit(out, 'exclusiveMaximum', 'maximum');
    if (out['prefixItems'] !== undefined) {
        const { prefixItems, items } = out;
        delete out['prefixItems'];
        Object.assign(out, { items: prefixItems }, items === undefined ? {} : { additionalItems: items });
    }

    if (Array.isArray(out['enum']) && (out['enum'].length > SHORT_ENUM || approximateLength(out['enum']) > SHORT_TEXT)) {
        out[LONG_ENUM] = out['enum'];
        delete out['enum'];
    }

    if (out['const'] !== undefined && approximateLength(out['const']) > SHORT_TEXT) {
        out[LONG_CONST] = [out['const']];
        delete out['const'];
    }

    separateIn(out, layout, separate);
    return out;
}

/** Removes a `format` that its draft does not check; renames the others to the name of their check. */
function replaceFormat(schema: JsonObject, draft: Draft): void {

    const { format } = schema;
    const checked = typeof format === 'string' ? formatIn(draft, format) : undefined;
    delete schema['format'];
    Object.assign(schema, checked === undefined ? {} : { format: checked });
}

/** In draft 4 `exclusiveMinimum` and `exclusiveMaximum` are booleans that modify the limit. */
function replaceBooleanLimit(schema: JsonObject, exclusive: string, inclusive: string): void {

    const limit = schema[inclusive];
    if (typeof schema[exclusive] !== 'boolean') {
        return;
    }

    const isExcluded = schema[exclusive];
    delete schema[exclusive];
    if (isExcluded && limit !== undefined) {
        delete schema[inclusive];
        schema[exclusive] = limit;
    }
}
