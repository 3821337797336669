/**
 * Brings together what one type needs: its schema and, through references, parts of the schemas of other types. The result
 * is a flat list of schemas in one uniform dialect, in which every reference is the number of another one. So the compiler
 * meets no ids, no drafts and no URIs, and schemas of different drafts may refer to each other.
 */

import type { ContentFault } from '../doip/error.js';
import type { JsonObject, JsonValue } from '../doip/json.js';
import { isJsonObject } from '../doip/json.js';
import { endlessFault } from './schema-endless.js';
import { mergedKeyword } from './extension-keyword.js';
import type { SchemaDocument, Subschema } from './schema-document.js';
import { ReferenceResolver } from './schema-references.js';
import type { Schema } from './schema-shapes.js';
import { mapSubschemas } from './schema-shapes.js';
import { shapeOf } from './schema-vocabulary.js';

/** Finds the schema of a type by its name, or any schema by its id. */
export type SchemaLookup = (nameOrId: string) => SchemaDocument | undefined;

/** Member of linked schemas that carries the extension keyword. */
export const ANNOTATION = 'x-annotation';

/** Member of linked schemas that makes each visit count, in schemas that lead on to others. */
export const VISIT = 'x-visit';

/** Member that takes the place of `enum` where there are many values. */
export const LONG_ENUM = 'x-enum';

/** With all that it refers to, a schema may have no more subschemas than this. */
const MAX_LINKED = 10_000;

/**
 * Member that says that `contains` describes no elements for `unevaluatedItems`. Draft 2019-09 has it so, its successor
 * does not.
 */
export const CONTAINS_ALONE = 'x-contains-alone';

/** Lists of values longer than this are looked up instead of compared one by one. */
const SHORT_ENUM = 20;

/** A schema and everything it refers to, ready to be compiled. */
export interface LinkedSchema {
    /** The first one is the schema itself. `{$ref: '#/t/5'}` means the sixth. */
    readonly targets: Schema[];
    /** Every document that was asked for by name or id, and what was found: while that stays so, the link holds. */
    readonly dependencies: ReadonlyMap<string, SchemaDocument | undefined>;
}

/** Thrown when a schema cannot be used. */
export class UnusableSchema extends Error {

    readonly faults: readonly ContentFault[];
    /** Types that it refers to and that do not exist. When there are no faults, their creation makes it usable. */
    readonly missingTypes: readonly string[];
    readonly dependencies: ReadonlyMap<string, SchemaDocument | undefined>;

    constructor(faults: readonly ContentFault[], missingTypes: readonly string[], dependencies: LinkedSchema['dependencies']) {

        const first = faults[0];
        super(first ? `${first.pointer}: ${first.message}` : `refers to the type ${missingTypes[0] ?? ''}, which does not exist`);
        this.name = 'UnusableSchema';
        this.faults = faults;
        this.missingTypes = missingTypes;
        this.dependencies = dependencies;
    }
}

/** Links a schema. @throws UnusableSchema */
export function linkSchema(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): LinkedSchema {

    return new Linker(document, lookup, keywordNames).link();
}

class Linker {

    readonly #root: SchemaDocument;
    readonly #keywordNames: readonly string[];
    readonly #references: ReferenceResolver;
    /** What becomes a target, in the order of numbers. */
    readonly #ordered: Subschema[] = [];
    readonly #numbers = new Map<Subschema, number>();
    readonly #faults: ContentFault[] = [];
    readonly #missing = new Set<string>();
    #count = 0;

    constructor(root: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]) {

        this.#root = root;
        this.#keywordNames = keywordNames;
        this.#references = new ReferenceResolver(root, lookup);
    }

    link(): LinkedSchema {

        const dependencies = this.#references.asked;
        if (this.#root.faults.length > 0) {
            throw new UnusableSchema(this.#root.faults, [], dependencies);
        }

        const targets = this.#convertAll();
        if (this.#count > MAX_LINKED) {
            this.#faults.push({ pointer: '', message: `has, with all it refers to, more than ${MAX_LINKED} subschemas` });
        }

        // what was examined on the way, because a reference leads there, may have brought more
        const faults = [...this.#root.faults, ...this.#faults];
        const isComplete = faults.length === 0 && this.#missing.size === 0;
        const endless = isComplete ? endlessFault(targets) : [];
        if (!isComplete || endless.length > 0) {
            throw new UnusableSchema([...faults, ...endless], [...this.#missing], dependencies);
        }

        return { targets, dependencies };
    }

    #convertAll(): Schema[] {

        const targets: Schema[] = [];
        this.#numberOf(this.#root.root);
        for (let i = 0; i < this.#ordered.length && this.#count <= MAX_LINKED; ++i) {
            const converted = this.#convert(this.#ordered[i] ?? this.#root.root);
            targets.push(isJsonObject(converted) && leadsOn(converted) ? { ...converted, [VISIT]: true } : converted);
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

        const converted: JsonObject = {};
        for (const [keyword, value] of Object.entries(from.schema)) {
            const shape = shapeOf(keyword, from.resource.document.draft);
            if (shape === 'reference' && typeof value === 'string') {
                addReference(converted, this.#target(from, keyword, value));
            }
            else if (shape && keyword !== 'definitions' && keyword !== '$defs') {
                converted[keyword] = mapSubschemas(shape, value, (_, path) => this.#convertChild(from, `${keyword}${path}`));
            }
        }

        if (converted['contains'] !== undefined && from.resource.document.draft === 2019) {
            converted[CONTAINS_ALONE] = true;
        }

        const annotation = mergedKeyword(from.schema, this.#keywordNames);
        return { ...uniform(converted), ...(annotation ? { [ANNOTATION]: annotation } : {}) };
    }

    #convertChild(from: Subschema, path: string): Schema {

        const child = from.resource.document.subschemaAt(`${from.pointer}/${path}`, from.resource);
        return child && this.#count <= MAX_LINKED ? this.#convert(child) : false;
    }

    /** Number of the target that a reference means; any number after noting what is wrong with it. */
    #target(from: Subschema, keyword: string, reference: string): number {

        const found = this.#references.resolve(reference, keyword, from);
        if ('subschema' in found) {
            return this.#numberOf(found.subschema);
        }

        if ('missingType' in found) {
            this.#missing.add(found.missingType);
            return 0;
        }

        const { name } = from.resource.document;
        const pointer = `${from.pointer}/${keyword}`;
        this.#faults.push(from.resource.document === this.#root ?
            { pointer, message: found.fault } :
            { pointer: '', message: `the schema ${name}, which it refers to, is not usable: ${pointer}: ${found.fault}` });
        return 0;
    }
}

function addReference(schema: JsonObject, number: number): void {

    const reference = { $ref: `#/t/${number}` };
    if (!Object.hasOwn(schema, '$ref')) {
        Object.assign(schema, reference);
        return;
    }

    // $ref beside $dynamicRef: both count
    schema['allOf'] = [...(Array.isArray(schema['allOf']) ? schema['allOf'] : []), reference];
}

/** Differences between the drafts, and what is too slow as it is, put into one form. */
function uniform(schema: JsonObject): JsonObject {

    const out = { ...schema };
    for (const [exclusive, inclusive] of [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']] as const) {
        const limit = out[inclusive];
        if (typeof out[exclusive] === 'boolean') {
            const isExclusive = out[exclusive] && limit !== undefined;
            delete out[exclusive];
            if (isExclusive) {
                delete out[inclusive];
                out[exclusive] = limit;
            }
        }
    }

    if (out['prefixItems'] !== undefined) {
        const { prefixItems, items } = out;
        delete out['prefixItems'];
        Object.assign(out, { items: prefixItems }, items === undefined ? {} : { additionalItems: items });
    }

    if (Array.isArray(out['enum']) && out['enum'].length > SHORT_ENUM) {
        out[LONG_ENUM] = out['enum'];
        delete out['enum'];
    }

    return out;
}

/** True when a schema contains a reference, so that its visits may multiply. */
function leadsOn(schema: JsonValue): boolean {

    if (!isJsonObject(schema)) {
        return Array.isArray(schema) && schema.some(leadsOn);
    }

    return Object.hasOwn(schema, '$ref') || Object.values(schema).some((member) => typeof member === 'object' && leadsOn(member));
}
