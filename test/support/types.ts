/**
 * Types for tests, without a database.
 */

import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { CompiledSchema } from '../../lib/types/compiled-schema.js';
import { SchemaDocument } from '../../lib/types/schema/document.js';
import { initialDesign } from '../../lib/types/seed-content.js';
import { metaSchema } from '../../lib/types/schema/meta-schemas.js';
import type { ProcessInput } from '../../lib/types/type-definition.js';
import { TypeRegistry } from '../../lib/types/type-registry.js';
import { atOnce } from '../../lib/util/concurrency/steps.js';
import { startBudget } from '../../lib/util/concurrency/time-budget.js';

/** The facts of an object that generated fields are made of. */
export const FACTS: Omit<ProcessInput, 'content'> = {
    id: 'test/1', createdOn: Date.UTC(2024, 0, 2, 3, 4, 5, 678), modifiedOn: Date.UTC(2024, 5, 6, 7, 8, 9, 10),
    createdBy: 'test/creator', modifiedBy: 'anonymous'
};

const KEYWORD_NAMES = ['cordra', 'net.cnri.repository'];

/** Compiles a schema as that of the type `T`; `others` are the schemas of other types by name. */
export function compile(schema: JsonValue, others: Readonly<Record<string, JsonValue>> = {}): CompiledSchema {

    const documents = new Map(Object.entries({ ...others, T: schema }).map(([name, each]) => [name, new SchemaDocument(name, each)]));
    const document = documents.get('T') ?? new SchemaDocument('T', schema);
    startBudget();
    return atOnce(CompiledSchema.link(document, (name) => documents.get(name) ?? byId(name, documents) ?? metaSchema(name), KEYWORD_NAMES));
}

function byId(id: string, documents: ReadonlyMap<string, SchemaDocument>): SchemaDocument | undefined {

    return [...documents.values()].find(({ root }) => root.resource.uri === id);
}

/** True when content matches a schema. */
export function isValid(schema: JsonValue, content: JsonValue, others?: Readonly<Record<string, JsonValue>>): boolean {

    return compile(schema, others).validate(content).length === 0;
}

/** A registry with the given types: name → schema, or the whole content of a Schema object. */
export function registryOf(types: Readonly<Record<string, JsonObject>>, design: JsonObject = {}, previous?: TypeRegistry): TypeRegistry {

    const schemas = Object.entries(types).map(([name, given]) =>
        ({ id: `test/type-${name}`, content: 'schema' in given ? { name, ...given } : { name, schema: given } }));
    return TypeRegistry.build({
        design: { ...initialDesign({ prefix: 'test' }), ...design }, schemas, extensionKeyword: 'cordra', prefix: 'test',
        ...(previous ? { previous } : {})
    });
}

/** The members of a keyword by a few, each few in a schema of their own. */
export function inGroups(members: JsonObject, keyword: string): JsonObject[] {

    const all = Object.entries(members);
    return all.flatMap((_, i) => (i % 5 === 0 ? [{ [keyword]: Object.fromEntries(all.slice(i, i + 5)) }] : []));
}

/** Random content with some of the members `p0` to `p39`, which may be such objects themselves, and others. */
export function namedContent(random: (below: number) => number, depth: number): JsonObject {

    const names = Array.from({ length: random(random(4) === 0 ? 60 : 6) }, () => ['x', '__y'][random(20)] ?? `p${random(40)}`);
    return Object.fromEntries(names.map((name) => [name, depth > 0 && random(2) === 0 ? namedContent(random, depth - 1) : 'text']));
}

/** The message of what is thrown, the faults first when there are any. */
export function faultsOf(work: () => unknown): string[] {

    try {
        work();
    }
    catch (error) {
        const { details } = error as { details?: { errors?: { pointer: string; message: string }[] } };
        return details?.errors?.map(({ pointer, message }) => `${pointer}: ${message}`) ?? [(error as Error).message];
    }

    return [];
}
