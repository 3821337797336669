/** Descriptions of operations for clients: what ListOperations answers with `describe`, and the source of the OpenAPI document. */

import type Joi from 'joi';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { getOrAdd } from '../util/cache/get-or-add.js';
import type { DescribedOperation, DynamicOperation } from './operation-summary.js';
import { OUTPUT_KINDS } from './operation-summary.js';
import { LocalReferences, mapReferences, referencesOf } from '../json/schema-references.js';
import { danglingLink } from './joi-links.js';
import { arrayOf, IDS, OPEN, record, TEXT, TRUTH, TYPE_SCHEMA } from '../doip/result-schemas.js';

/** JSON schema of {@link describeOperation}. */
export const OPERATION_DESCRIPTION: JsonObject = record({
    id: TEXT, aliases: IDS, summary: TEXT, target: { enum: ['service', 'object', 'any'] }, methods: arrayOf({ enum: ['GET', 'POST'] }),
    authorise: TEXT, attributes: OPEN, input: { anyOf: [OPEN, { const: 'segments' }] }, inputRequired: TRUTH,
    result: OPEN, outputs: arrayOf({ enum: [...OUTPUT_KINDS] })
}, ['id', 'aliases', 'summary', 'target', 'methods', 'authorise', 'attributes']);

/** JSON schema of {@link describeMethod}. */
export const METHOD_DESCRIPTION: JsonObject = record({
    id: TEXT, target: { enum: ['service', 'object'] }, methods: arrayOf({ enum: ['GET', 'POST'] }), summary: TEXT, input: TYPE_SCHEMA, result: TYPE_SCHEMA
}, ['id', 'target', 'methods']);

/** Description of a schema by Joi. */
interface Described {
    readonly keys?: Readonly<Record<string, Described>>;
    readonly metas?: readonly { readonly isText?: boolean }[];
    readonly type?: string;
}

/**
 * Describes an operation.
 *
 * @returns `id`, `aliases`, `summary`, `target`, `methods` (of HTTP), `authorise` (the rule, or `custom`), `attributes` and `input` (JSON
 * Schema 2020-12; `input` also `segments` for a sequence of segments, absent for none), `result` (JSON Schema, if declared), `outputs` (the
 * forms of the output, if declared; otherwise it is JSON where there is a `result`)
 */
export function describeOperation(operation: DescribedOperation): JsonObject {

    return getOrAdd(descriptions, operation, () => descriptionOf(operation));
}

/** Checks that an operation can be described, since a list with it has others as well. @throws Error that names it */
export function demandDescribable(operation: DescribedOperation): void {

    const { id, attributes, inputSchema, resultSchema } = operation;
    const parts: readonly (readonly [name: string, describe: () => unknown])[] = [
        ['attributes', () => attributes && attributesSchema(demandLinked(attributes))], ['input', () => inputSchema && schemaOf(demandLinked(inputSchema))],
        ['result', () => resultSchema && demandReferences(resultSchema)]
    ];
    for (const [name, describe] of parts) {
        try {
            JSON.stringify(describe());
        }
        catch (error) {
            throw new Error(`operation ${id}: its ${name} cannot be described: ${firstLine(error)}`);
        }
    }
}

function demandLinked<S extends Joi.Schema>(schema: S): S {

    const link = danglingLink(schema);
    if (link !== undefined) {
        throw new Error(`Joi.link('${link}') leads nowhere`);
    }

    return schema;
}

function demandReferences(schema: JsonObject): JsonObject {

    JSON.stringify(schema);                                 // Throws for one that is circular
    const local = new LocalReferences(schema);
    for (const reference of referencesOf(schema)) {
        if (reference.startsWith('#') && local.pointerOf(reference) === null) {
            throw new Error(`its $ref ${JSON.stringify(reference)} leads nowhere`);
        }
    }

    return schema;
}

function firstLine(error: unknown): string {

    return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** Describes an operation that depends on its target, such as a method of a type. */
export function describeMethod({ id, methods = ['POST'], summary, input, result }: DynamicOperation, target: 'service' | 'object'): JsonObject {

    return {
        id, target, methods: [...methods],
        ...summary === undefined ? {} : { summary }, ...input === undefined ? {} : { input }, ...result === undefined ? {} : { result }
    };
}

/** Made once: converting schemas takes milliseconds. */
const descriptions = new WeakMap<DescribedOperation, JsonObject>();

function descriptionOf(operation: DescribedOperation): JsonObject {

    const { id, aliases = [], summary, target, methods = ['POST'], authorise, attributes, input = 'none', inputSchema, resultSchema, outputs } = operation;
    return {
        id,
        aliases: [...aliases],
        summary,
        target,
        methods: [...methods],
        authorise: typeof authorise === 'string' ? authorise : 'custom',
        attributes: attributes === undefined ? { type: 'object' } : attributesSchema(attributes),
        ...(input === 'none' ? {} : { input: input === 'segments' ? 'segments' : inputSchema === undefined ? {} : schemaOf(inputSchema) }),
        ...(input === 'none' ? {} : { inputRequired: input === 'json' }),
        ...(resultSchema === undefined ? {} : { result: resultSchema }),
        ...(outputs === undefined ? {} : { outputs: [...outputs] })
    };
}

/** The schema of attributes. Attributes that are not declared are ignored, and text may be written as anything that has a text. */
function attributesSchema(schema: Joi.ObjectSchema): JsonObject {

    const { keys = {} } = schema.describe() as Described;
    const { properties, ...rest } = schemaOf(schema) as JsonObject & { properties?: Record<string, JsonObject> };
    const texts = new Set(Object.entries(keys).filter(([, { metas = [] }]) => metas.some(({ isText }) => isText)).map(([name]) => name));
    const described = Object.entries(properties ?? {}).filter(([name]) => name !== 'dryRun' || keys['dryRun']?.type !== undefined)
        .map(([name, property]): [string, JsonValue] => [name, texts.has(name) ? withText(property) : property]);
    return { ...rest, properties: Object.fromEntries(described), additionalProperties: true };
}

/** Attributes of any type that are converted to text are described as strings. */
function withText(property: JsonObject): JsonObject {

    const { anyOf, items, ...rest } = property;
    if (anyOf !== undefined || items !== undefined) {
        return { ...rest, type: 'array', items: { type: 'string' } };
    }

    return rest['type'] === undefined ? { ...rest, type: 'string' } : rest;
}

/** The JSON schema of one by Joi. Links that JSON Schema does not know, to an ancestor, allow anything. */
function schemaOf(schema: Joi.Schema): JsonObject {

    const converted = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
    const { id } = (schema.describe().flags ?? {}) as { readonly id?: string };
    const local = new LocalReferences(converted);
    return mapReferences(converted, (reference) => (reference === `#/$defs/${id}` ? '#' : local.pointerOf(reference) === null ? null : reference));
}
