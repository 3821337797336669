/**
 * Collects what one type needs: its schema and, through references, parts of the schemas of other types. The result is a flat
 * list of schemas in one uniform dialect, so that the compiler sees no ids, drafts or URIs, and schemas of different drafts can
 * refer to each other.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { mergedKeyword } from './extension-keyword.js';
import type { LinkedSchema, SchemaLookup } from './linked-schema.js';
import { ANNOTATION, CONTAINS_ALONE, LONG_ENUM, MANY_PROPERTIES, withReference } from './linked-schema.js';
import type { SchemaDocument, Subschema } from './document.js';
import { endlessError } from './ref-cycles.js';
import { formatIn } from './formats.js';
import { ReferenceResolver } from './ref-resolver.js';
import type { Schema } from './shapes.js';
import { mapSubschemas } from './shapes.js';
import { isRemote } from './uri.js';
import type { Draft } from './vocabulary.js';
import { shapeOf } from './vocabulary.js';

/** Maximum number of subschemas of a schema, including everything it refers to. */
const MAX_LINKED = 10_000;

/** Longer enums are checked by a hash lookup instead of one comparison per value. */
const SHORT_ENUM = 20;

/** With more properties than this, each is compiled as a function of its own: in one piece they would nest too deeply. */
const FEW_PROPERTIES = 100;

/** Maximum number of subschemas that are compiled in one piece, which takes some milliseconds; further ones are pieces of their own. */
export const MAX_INLINED = 100;

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
export function linkSchema(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): LinkedSchema {

    return new Linker(document, lookup, keywordNames).link();
}

class Linker {

    readonly #root: SchemaDocument;
    readonly #keywordNames: readonly string[];
    readonly #references: ReferenceResolver;
    /** Targets in the order of their numbers. */
    readonly #ordered: Subschema[] = [];
    readonly #numbers = new Map<Subschema, number>();
    readonly #errors: ContentError[] = [];
    readonly #missing = new Set<string>();
    #count = 0;
    /** Number of subschemas inside of the present piece. */
    #inlined = 0;

    constructor(root: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]) {

        this.#root = root;
        this.#keywordNames = keywordNames;
        this.#references = new ReferenceResolver(root, lookup);
    }

    link(): LinkedSchema {

        const dependencies = this.#references.lookups;
        if (this.#root.errors.length > 0) {
            throw new UnusableSchema(this.#root.errors, [], dependencies);
        }

        const targets = this.#convertAll();
        if (this.#count > MAX_LINKED) {
            this.#errors.push({ pointer: '', message: `has, with all it refers to, more than ${MAX_LINKED} subschemas` });
        }

        // Following references may have examined more of the document and added to its faults.
        const errors = [...this.#root.errors, ...this.#errors];
        const isComplete = errors.length === 0 && this.#missing.size === 0;
        const endless = isComplete ? endlessError(targets) : [];
        if (!isComplete || endless.length > 0) {
            throw new UnusableSchema([...errors, ...endless], [...this.#missing], dependencies);
        }

        return { targets, size: this.#count, dependencies };
    }

    #convertAll(): Schema[] {

        const targets: Schema[] = [];
        this.#numberOf(this.#root.root);
        for (let i = 0; i < this.#ordered.length && this.#count <= MAX_LINKED; ++i) {
            this.#inlined = 0;
            targets.push(this.#convert(this.#ordered[i] ?? this.#root.root));
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

    #convert(from: Subschema): Schema {

        this.#count += 1;
        if (!isJsonObject(from.schema)) {
            return from.schema;
        }

        const { draft } = from.resource.document;
        let converted: JsonObject = {};
        for (const [keyword, value] of Object.entries(from.schema)) {
            const shape = shapeOf(keyword, draft);
            if (shape === 'reference' && typeof value === 'string') {
                converted = withReference(converted, this.#target(from, keyword, value));
            }
            else if (shape && keyword !== 'definitions' && keyword !== '$defs') {
                // Of many properties each is compiled by itself, and errors in names are those of the object only from the same piece.
                const areCounted = keyword !== 'propertyNames' && !(keyword === 'properties' && areMany(value));
                converted[keyword] = mapSubschemas(shape, value, (_, path) => this.#convertChild(from, `${keyword}${path}`, areCounted));
            }
        }

        replaceFormat(converted, draft);

        const annotation = mergedKeyword(from.schema, this.#keywordNames);
        return {
            ...uniform(converted),
            ...(converted['contains'] !== undefined && draft === 2019 ? { [CONTAINS_ALONE]: true } : {}),
            ...(annotation ? { [ANNOTATION]: annotation } : {})
        };
    }

    /** `isCounted`: it counts as a part of the present piece, or becomes a piece of its own when that is large. */
    #convertChild(from: Subschema, path: string, isCounted: boolean): Schema {

        const child = from.resource.document.subschemaAt(`${from.pointer}/${path}`, from.resource);
        if (!child || this.#count > MAX_LINKED) {
            return false;
        }

        if (isCounted) {
            this.#inlined += 1;
            return this.#inlined > MAX_INLINED && isJsonObject(child.schema) ? withReference({}, this.#numberOf(child)) : this.#convert(child);
        }

        const outside = this.#inlined;
        this.#inlined = 0;
        const converted = this.#convert(child);
        this.#inlined = outside;
        return converted;
    }

    /** Returns the number of the target of a reference. If there is none, records the fault or the missing type and returns 0. */
    #target(from: Subschema, keyword: string, reference: string): number {

        const found = this.#references.resolve(reference, keyword, from);
        if ('subschema' in found) {
            return this.#numberOf(found.subschema);
        }

        if ('missingType' in found) {
            this.#missing.add(found.missingType);
            return 0;
        }

        const { document } = from.resource;
        const pointer = `${from.pointer}/${keyword}`;
        this.#errors.push(document === this.#root ?
            { pointer, message: found.message } :
            { pointer: '', message: `refers to the schema ${document.name}, which is not usable: ${pointer}: ${found.message}` });
        return 0;
    }
}

/** Normalises differences between the drafts, and replaces keywords that would compile slowly or into too much code. */
function uniform(schema: JsonObject): JsonObject {

    const out = { ...schema };
    replaceBooleanLimit(out, 'exclusiveMinimum', 'minimum');
    replaceBooleanLimit(out, 'exclusiveMaximum', 'maximum');
    if (out['prefixItems'] !== undefined) {
        const { prefixItems, items } = out;
        delete out['prefixItems'];
        Object.assign(out, { items: prefixItems }, items === undefined ? {} : { additionalItems: items });
    }

    if (Array.isArray(out['enum']) && out['enum'].length > SHORT_ENUM) {
        out[LONG_ENUM] = out['enum'];
        delete out['enum'];
    }

    const properties = out['properties'];
    if (isJsonObject(properties) && areMany(properties)) {
        out[MANY_PROPERTIES] = properties;
        out['properties'] = Object.fromEntries(Object.keys(properties).map((name) => [name, true]));
    }

    return out;
}

/** True for properties that are compiled one by one. */
function areMany(properties: JsonValue): boolean {

    return isJsonObject(properties) && Object.keys(properties).length > FEW_PROPERTIES;
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
