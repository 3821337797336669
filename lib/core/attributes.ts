/**
 * Building blocks for attribute schemas. Attributes often come from a query string, where `123` is parsed as a number and
 * `true` as a boolean; they are converted back where a string is expected.
 */

import Joi from 'joi';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';
import { getOrAdd } from '../util/cache/get-or-add.js';

/** Marks attributes that are text, even if the value looks like a number. */
const TEXT = { isText: true };

/** Marks {@link text} as well, whose only rule strings satisfy. */
const ANY_TEXT = { isAnyText: true };

/** Marks attributes that may be null; for others null means absent. */
export const NULLABLE = { isNullable: true };

/** Schema of a string; numbers and booleans are converted to their JSON text. */
export function text(): Joi.AnySchema {

    return Joi.any().meta(TEXT).meta(ANY_TEXT).custom((value: unknown, helpers) => {

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
    /** Attributes that Joi takes for strings, without a conversion of numbers. */
    readonly strings: ReadonlySet<string>;
    readonly nullable: ReadonlySet<string>;
    /** For attributes without further rules: whether a value is valid as it is. Null if the schema has rules besides those of its attributes. */
    readonly checks: ReadonlyMap<string, Check> | null;
}

type Check = (value: JsonValue | undefined) => boolean;

/** Description of a schema by Joi. */
interface Description {
    readonly type: string;
    readonly keys?: Readonly<Record<string, Description>>;
    readonly metas?: readonly object[];
    readonly flags?: { readonly default?: unknown };
    readonly rules?: readonly { readonly name: string }[];
}

/** Properties of an attribute's description that do not matter while the attribute is absent. */
const FOR_VALUES_ONLY = ['type', 'flags', 'metas', 'rules', 'items', 'keys', 'allow', 'dependencies'];

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

    const { names, texts: areTexts, strings, nullable } = declaredBy(schema);
    const declared: JsonObject = {};
    for (const [name, value] of Object.entries(attributes)) {
        const text = texts?.get(name);
        if (text !== undefined && (areTexts.has(name) || strings.has(name) && typeof value === 'number' && String(value) !== text.trim())) {
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

        const description = schema.describe() as unknown as Description;
        const keys = Object.entries(description.keys ?? {});
        const marked = (mark: string): Set<string> => new Set(keys.flatMap(([name, key]) => (isMarked(key, mark) ? [name] : [])));
        const checks = new Map(keys.flatMap(([name, key]): [string, Check][] => {

            const check = checkOf(key);
            return check ? [[name, check]] : [];
        }));
        const isPlain = description.type === 'object' && hasOnly(description, ['type', 'keys']) && keys.every(([, key]) => mayBeAbsent(key));
        return {
            names: new Set(keys.map(([name]) => name)), texts: marked('isText'),
            strings: new Set(keys.flatMap(([name, { type }]) => (type === 'string' ? [name] : []))), nullable: marked('isNullable'),
            checks: isPlain ? checks : null
        };
    });
}

function isMarked({ metas = [] }: Description, mark: string): boolean {

    return metas.some((meta) => mark in meta);
}

function hasOnly(value: object, names: readonly string[]): boolean {

    return Object.keys(value).every((name) => names.includes(name));
}

/** Returns whether an absent attribute gets a constant default or none, whatever the others are. */
function mayBeAbsent(key: Description): boolean {

    const { flags = {} } = key;
    return hasOnly(key, FOR_VALUES_ONLY) && !('presence' in flags) && typeof flags.default !== 'function' && typeof flags.default !== 'object';
}

/** Returns the check of an attribute whose schema has nothing but a type and a default. */
function checkOf(key: Description): Check | null {

    const { type, flags = {}, rules = [] } = key;
    if (!hasOnly(key, ['type', 'flags', 'metas', 'rules']) || !hasOnly(flags, ['default'])) {
        return null;
    }

    const names = rules.map(({ name }) => name).join();
    if (type === 'boolean' && names === '') {
        return (value) => typeof value === 'boolean';
    }

    if (type === 'number' && names === 'integer') {
        return (value) => Number.isSafeInteger(value) && !Object.is(value, -0);
    }

    return type === 'any' && names === 'custom' && isMarked(key, 'isAnyText') ? (value) => typeof value === 'string' : null;
}

/** Returns whether attributes are valid as they are, by checks that cost less than Joi; false if only Joi can tell. */
export function areExact(schema: Joi.ObjectSchema, attributes: JsonObject): boolean {

    const { checks, names } = declaredBy(schema);
    if (!checks) {
        return false;
    }

    for (const name in attributes) {
        if (names.has(name) && !checks.get(name)?.(attributes[name])) {
            return false;
        }
    }

    return true;
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
