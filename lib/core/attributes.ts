/**
 * Building blocks for the attribute schemas of operations. Attributes often come out of a query string, where `123` is
 * read as a number and `true` as a boolean: where a string is meant, both are taken back to strings.
 */

import Joi from 'joi';
import type { JsonObject } from '../util/json-types.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';

/** Marks attributes that are text, also where what was sent reads like a number. */
const TEXT = { isText: true };

/** Marks attributes that may be null: of all others null says that they are absent. */
export const NULLABLE = { isNullable: true };

/** A string; a number or boolean is read as its JSON text. */
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

/** `true` or `false`, also as strings in any case. */
export function flag(): Joi.BooleanSchema {

    return Joi.boolean();
}

const NO_DRY_RUN = Joi.boolean().valid(false).strip().messages({ 'any.only': '{{#label}} must be left out: this operation cannot be rehearsed' });

/** Attributes of an operation that cannot be rehearsed: who asks for a dry run must not find that something was stored. */
export function withoutDryRun<A>(schema: Joi.ObjectSchema<A>): Joi.ObjectSchema<A> {

    return (schema as Joi.ObjectSchema).append({ dryRun: NO_DRY_RUN }) as Joi.ObjectSchema<A>;
}

/** One string or an array of them. */
export function texts(): Joi.ArraySchema {

    return Joi.array().items(text()).single().meta(TEXT);
}

/** What a schema says of its attributes, besides the values that it takes. */
interface Declared {
    readonly names: ReadonlySet<string>;
    readonly texts: ReadonlySet<string>;
    readonly nullable: ReadonlySet<string>;
}

const declarations = new WeakMap<Joi.ObjectSchema, Declared>();

/** The names of the attributes that a schema declares. */
export function declaredNames(schema: Joi.ObjectSchema): ReadonlySet<string> {

    return declaredBy(schema).names;
}

/**
 * The attributes as the schema means them: text as it was written, where that is known, and without those that are null.
 *
 * @param texts the texts of values by name, where they came as text and were read as numbers or the like
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

    let declared = declarations.get(schema);
    if (!declared) {
        const keys = Object.entries((schema.describe() as { keys?: Record<string, { metas?: object[] }> }).keys ?? {});
        const marked = (mark: string): Set<string> => new Set(keys.flatMap(([name, { metas = [] }]) => (metas.some((meta) => mark in meta) ? [name] : [])));
        declared = { names: new Set(keys.map(([name]) => name)), texts: marked('isText'), nullable: marked('isNullable') };
        declarations.set(schema, declared);
    }

    return declared;
}

/** The request context among attributes; empty without one, and for empty text. 400 when it is anything but a JSON object. */
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
