/**
 * Validation of Schema objects beyond the shape of their members: the name must be possible for a type, the schema usable.
 *
 * A schema may refer to a type that does not exist yet, because one of two types that refer to each other has to be created
 * first. Until the other one exists, objects of the type cannot be written.
 */

import type { ContentError } from '../errors/errors.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { approximateLength } from '../util/concurrency/event-loop-yielder.js';
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
    const document = new SchemaDocument(name, schema, content['baseUri']);
    const errors = [...unusableErrors(document, lookup, keywordNames), ...extensionErrors(document, keywordNames)];
    return [
        ...(nameProblem === null ? [] : [{ pointer: '/name', message: nameProblem }]),
        ...errors.slice(0, MAX_ERRORS).map(({ pointer, message }) => ({ pointer: `/schema${pointer}`, message }))
    ];
}

/** Approximate length in characters of a schema that is compiled at once. */
const SHORT = 2048;

/** Schemas that were compiled in several turns, for the check that follows. */
const prepared = new WeakMap<object, { readonly document: SchemaDocument; readonly compiled: CompiledSchema; readonly keywordNames: readonly string[] }>();

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
    try {
        const compiled = compileAlone(document, lookup, keywordNames);
        const preparing = compiled.prepare();
        if (preparing) {
            await preparing;
            prepared.set(schema, { document, compiled, keywordNames });
        }
    }
    catch (error) {
        if (!(error instanceof UnusableSchema)) {
            throw error;
        }
        // The check finds it again.
    }
}

function compileAlone(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): CompiledSchema {

    return CompiledSchema.compile(document, (name) => (name === document.name || document.uris.includes(name) ? document : lookup(name)), keywordNames);
}

/** Returns what was prepared for a document, if it is still the same; undefined otherwise. */
function preparedFor({ name, schema, uris }: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): CompiledSchema | undefined {

    const { document, compiled, keywordNames: names } = isJsonObject(schema) && prepared.get(schema) || {};
    const isSame = document?.name === name && document.uris.join(' ') === uris.join(' ') && names?.join(' ') === keywordNames.join(' ');
    return isSame && [...compiled?.dependencies ?? []].every(([other, found]) => found === document || lookup(other) === found) ? compiled : undefined;
}

function unusableErrors(document: SchemaDocument, lookup: SchemaLookup, keywordNames: readonly string[]): readonly ContentError[] {

    try {
        (preparedFor(document, lookup, keywordNames) ?? compileAlone(document, lookup, keywordNames)).complete();
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
