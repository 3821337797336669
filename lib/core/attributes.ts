/**
 * Building blocks for attribute schemas. Attributes often come from a query string, where `123` is parsed as a number and
 * `true` as a boolean; they are converted back where a string is expected.
 */

import Joi from 'joi';
import type { JsonObject } from '../util/json-types.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';
import { getOrAdd } from '../util/cache/get-or-add.js';

/** Marks attributes that are text, even if the value looks like a number. */
const TEXT = { isText: true };

/** Marks attributes that may be null; for others null means absent. */
export const NULLABLE = { isNullable: true };

/** Schema of a string; numbers and booleans are converted to their JSON text. */
export function text(): Joi.AnySchema {

    return Joi.any().meta(TEXT).custom((value: unknown, helpers) => {

        if (typeof value === 'string') {
            return value;
        }

        if (typeof value === 'number' || typeof value === 'boolean') {
            return String(value);
        }

        return helpers.message({ custom: '{{#label}} must be a string' });
    });
}

/** Schema of a boolean; also accepts `true` and `false` as strings in any case. */
export function flag(): Joi.BooleanSchema {

    return Joi.boolean();
}

const NO_DRY_RUN = Joi.boolean().valid(false).strip().messages({ 'any.only': '{{#label}} must be left out: this operation cannot be rehearsed' });

/** Extends the schema of an operation without dry run: the attribute `dryRun` is rejected instead of ignored. */
export function withoutDryRun<A>(schema: Joi.ObjectSchema<A>): Joi.ObjectSchema<A> {

    return (schema as Joi.ObjectSchema).append({ dryRun: NO_DRY_RUN }) as Joi.ObjectSchema<A>;
}

/** Schema of one string or an array of strings. */
export function texts(): Joi.ArraySchema {

    return Joi.array().items(text()).single().meta(TEXT);
}

/** Properties of the attributes that a schema declares. */
interface Declared {
    readonly names: ReadonlySet<string>;
    readonly texts: ReadonlySet<string>;
    readonly nullable: ReadonlySet<string>;
}

const declarations = new WeakMap<Joi.ObjectSchema, Declared>();

/** Returns the names of the attributes that a schema declares. */
export function declaredNames(schema: Joi.ObjectSchema): ReadonlySet<string> {

    return declaredBy(schema).names;
}

/**
 * Returns the attributes according to the schema: text as it was written, if known, and without nulls.
 *
 * @param texts original texts by name, of values that were parsed as numbers, booleans or null
 */
export function asDeclared(schema: Joi.ObjectSchema, attributes: JsonObject, texts?: ReadonlyMap<string, string>): JsonObject {

    const { names, texts: areTexts, nullable } = declaredBy(schema);
    const declared: JsonObject = {};
    for (const [name, value] of Object.entries(attributes)) {
        const text = areTexts.has(name) ? texts?.get(name) : undefined;
        if (text !== undefined) {
            declared[name] = text;
        }
        else if (value !== null || nullable.has(name) || !names.has(name)) {
            declared[name] = value;
        }
    }

    return declared;
}

function declaredBy(schema: Joi.ObjectSchema): Declared {

    return getOrAdd(declarations, schema, () => {

        const keys = Object.entries((schema.describe() as { keys?: Record<string, { metas?: object[] }> }).keys ?? {});
        const marked = (mark: string): Set<string> => new Set(keys.flatMap(([name, { metas = [] }]) => (metas.some((meta) => mark in meta) ? [name] : [])));
        return { names: new Set(keys.map(([name]) => name)), texts: marked('isText'), nullable: marked('isNullable') };
    });
}

/** Returns the request context among attributes; empty if absent or empty text. @throws DoipError 400 if it is not a JSON object */
export function readRequestContext(attributes: JsonObject): JsonObject {

    const value = attributes.requestContext;
    if (value === undefined || value === null || value === '') {
        return {};
    }

    if (!isJsonObject(value)) {
        throw badRequest('Unable to parse requestContext: it must be a JSON object');
    }

    return value;
}
