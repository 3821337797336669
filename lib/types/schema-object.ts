/**
 * Validation of Schema objects beyond the shape of their members: the name must be possible for a type, the schema usable.
 *
 * A schema may refer to a type that does not exist yet, because one of two types that refer to each other has to be created
 * first. Until the other one exists, objects of the type cannot be written.
 */

import type { ContentError } from '../errors/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { approximateLength } from '../util/concurrency/event-loop-yielder.js';
import { atOnce, inTurns, type Steps } from '../util/concurrency/steps.js';
import { isBuiltInType } from './built-in-types.js';
import { CompiledSchema } from './compiled-schema.js';
import { extensionErrors } from './annotations/extension-validation.js';
import { SchemaDocument } from './schema/document.js';
import { UnusableSchema } from './schema/linker.js';
import type { SchemaLookup } from './schema/linked-schema.js';

/** Maximum length of a name in bytes of UTF-8, the width of its column. */
const MAX_NAME = 255;

/** Maximum number of errors that are reported. */
const MAX_ERRORS = 20;

/**
 * Returns the errors in the content of a Schema object, with JSON pointers into the content.
 *
 * @param lookup finds the schemas of the other types
 */
export function schemaObjectErrors(content: JsonObject, lookup: SchemaLookup, keywordNames: readonly string[]): ContentError[] {

    const { name, schema } = content;
    if (typeof name !== 'string' || schema === undefined) {
        return [];
    }

    const nameProblem = typeNameProblem(name);
    const given = preparedFor(content, lookup, keywordNames);
    const document = given?.document ?? new SchemaDocument(name, schema, content['baseUri']);
    const outcome = given?.outcome ?? atOnce(linkAlone(document, lookup, keywordNames));
    const errors = [...unusableErrors(outcome), ...extensionErrors(document, keywordNames)];
    return [
        ...(nameProblem === null ? [] : [{ pointer: '/name', message: nameProblem }]),
        ...errors.slice(0, MAX_ERRORS).map(({ pointer, message }) => ({ pointer: `/schema${pointer}`, message }))
    ];
}

/** Approximate length in characters of a schema that is compiled at once. */
const SHORT = 2048;

/** A schema that was compiled in several turns, and what for. */
interface PreparedSchema {
    readonly document: SchemaDocument;
    readonly baseUri: JsonValue | undefined;
    readonly keywordNames: readonly string[];
    readonly outcome: CompiledSchema | UnusableSchema;
}

/** By the JSON of the schema, for the check that follows. */
const prepared = new WeakMap<object, PreparedSchema>();

/**
 * Compiles the schema in the content of a Schema object in several turns of the event loop if it is large, so that {@link schemaObjectErrors} is quick
 * for the same content.
 */
export async function prepareSchemaObject(content: JsonObject, lookup: SchemaLookup, keywordNames: readonly string[]): Promise<void> {

    const { name, schema, baseUri } = content;
    if (typeof name !== 'string' || !isJsonObject(schema) || approximateLength(schema) < SHORT) {
        return;
    }

    const document = new SchemaDocument(name, schema, baseUri);
    const outcome = await inTurns(linkAlone(document, lookup, keywordNames));
    if (outcome instanceof CompiledSchema) {
        await inTurns(outcome.compileParts());
    }

    prepared.set(schema, { document, baseUri, keywordNames, outcome });
}

function *linkAlone(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): Steps<CompiledSchema | UnusableSchema> {

    yield* document.examine();
    const find = (name: string): SchemaDocument | undefined => (name === document.name || document.uris.includes(name) ? document : lookup(name));
    return yield* CompiledSchema.linkIfUsable(document, find, keywordNames);
}

/** Returns what was prepared for the content of a Schema object, if it is still the same; undefined otherwise. */
function preparedFor({ name, schema, baseUri }: JsonObject, lookup: SchemaLookup, keywordNames: readonly string[]): PreparedSchema | undefined {

    const found = isJsonObject(schema) ? prepared.get(schema) : undefined;
    const isSame = found?.document.name === name && found?.baseUri === baseUri && found?.keywordNames.join(' ') === keywordNames.join(' ');
    const { document, outcome } = found ?? {};
    return isSame && [...outcome?.dependencies ?? []].every(([other, each]) => each === document || lookup(other) === each) ? found : undefined;
}

/** Returns the errors that keep a schema from being linked or compiled. */
function unusableErrors(outcome: CompiledSchema | UnusableSchema): readonly ContentError[] {

    if (outcome instanceof UnusableSchema) {
        return outcome.errors;
    }

    try {
        outcome.complete();
        return [];
    }
    catch (error) {
        if (error instanceof UnusableSchema) {
            return error.errors;
        }

        throw error;
    }
}

function typeNameProblem(name: string): string | null {

    if (isBuiltInType(name)) {
        return `${name} is a built-in type and cannot be defined anew`;
    }

    if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed() || name !== name.trim()) {
        return 'must not begin or end with a blank, and not contain control characters or unpaired surrogates';
    }

    if (name === '__proto__') {
        return 'must not be __proto__';
    }

    return Buffer.byteLength(name) > MAX_NAME ? `must not be longer than ${MAX_NAME} bytes` : null;
}
