/**
 * Keywords that call the validators of other schemas, where ajv would compile these into the code of the schema itself: its code would grow with
 * all that a schema refers to, and take long to compile. They find the same errors in the same order as those of ajv.
 */

import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv';
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import { childPointer } from '../../json/pointer.js';
import { spend } from '../../util/concurrency/time-budget.js';
import { REFERENCE, separate } from './linked-schema.js';
import type { Schema } from './shapes.js';
import { isSchema } from './shapes.js';

/** Keywords of ajv that are removed because those of this file replace them. */
export const CALLED_KEYWORDS: readonly string[] = ['propertyNames', 'dependencies', 'dependentRequired', 'dependentSchemas'];

/** Returns the validator of a linked schema, or of a subschema of one, for a value, and charges its work to the time budget; compiles it on first use. */
export type ValidatorOf = (schema: Schema, value: JsonValue) => ValidateFunction;

/** Parts of the compiler that the keywords use. */
interface Tools {
    readonly targets: readonly Schema[];
    readonly validatorOf: ValidatorOf;
    readonly allErrors: boolean;
}

/** The context of a whole value. */
const ROOT: DataValidationCxt = { instancePath: '', parentData: {}, parentDataProperty: '', rootData: {}, dynamicAnchors: {} };

type Found = Partial<ErrorObject>;

/** Adds the errors of a value, in its context, by a schema. Returns false if there are any. */
type Call = (schema: JsonValue, value: JsonValue, context: DataValidationCxt, errors: Found[]) => boolean;

/** Adds the errors of a value; returns false if there are any. */
type Check<T> = (value: T, errors: Found[], context: DataValidationCxt) => boolean;

/** What a keyword does with its value in the schema. */
interface Meaning {
    readonly keyword: string;
    readonly type?: 'object' | 'array';
    readonly schemaType: readonly ('array' | 'object' | 'number' | 'boolean')[];
    /** The keyword of ajv before which it is evaluated. */
    readonly before?: string;
    readonly check: (value: never, call: Call, isSearch: boolean) => Check<never>;
}

/** Returns the keywords that call validators of other schemas. */
export function callingKeywords({ targets, validatorOf, allErrors }: Tools): FuncKeywordDefinition[] {

    const call: Call = (schema, value, context, errors) => {

        const validate = validatorOf(isSchema(schema) ? schema : false, value);
        if (validate(value, context) === true) {
            return true;
        }

        for (const error of validate.errors ?? []) {
            errors.push(error);
        }

        return false;
    };

    return [reference(targets), ...MEANINGS].map(({ check, schemaType, ...names }) => ({
        ...names,
        schemaType: [...schemaType],
        errors: 'full',
        compile: (keywordValue: JsonValue) => {

            const checked = check(keywordValue as never, call, allErrors) as Check<JsonValue>;
            const validate: DataValidateFunction = (value: JsonValue, context?: DataValidationCxt) => {

                const errors: Found[] = [];
                const isValid = checked(value, errors, context ?? ROOT);
                validate.errors = isValid ? [] : errors;
                return isValid;
            };

            return validate;
        }
    }));
}

function reference(targets: readonly Schema[]): Meaning {

    const check = (number: number, call: Call): Check<JsonValue> => {

        return (value, errors, context) => call(targets[number] ?? false, value, context, errors);
    };

    return { keyword: REFERENCE, schemaType: ['number'], check };
}

const MEANINGS: readonly Meaning[] = [
    { keyword: separate('anyOf'), schemaType: ['array'], before: 'anyOf', check: anyOf },
    { keyword: separate('oneOf'), schemaType: ['array'], before: 'oneOf', check: oneOf },
    { keyword: separate('allOf'), schemaType: ['array'], before: 'allOf', check: allOf },
    { keyword: separate('items'), type: 'array', schemaType: ['array'], before: 'items', check: tuple },
    { keyword: 'propertyNames', type: 'object', schemaType: ['object', 'boolean'], before: 'additionalProperties', check: propertyNames },
    { keyword: 'dependencies', type: 'object', schemaType: ['object'], before: 'properties', check: dependencies },
    { keyword: separate('properties'), type: 'object', schemaType: ['object'], before: 'properties', check: properties },
    { keyword: separate('patternProperties'), type: 'object', schemaType: ['object'], before: 'patternProperties', check: patternProperties },
    { keyword: 'dependentRequired', type: 'object', schemaType: ['object'], before: 'unevaluatedProperties', check: dependencies },
    { keyword: 'dependentSchemas', type: 'object', schemaType: ['object'], before: 'unevaluatedProperties', check: dependencies }
];

/** True if all members of a list are valid. A search goes on after one that is not. */
function allValid<T>(members: Iterable<T>, isSearch: boolean, isValid: (member: T) => boolean): boolean {

    let areValid = true;
    for (const member of members) {
        areValid = isValid(member) && areValid;
        if (!areValid && !isSearch) {
            return false;
        }
    }

    return areValid;
}

function anyOf(options: readonly Schema[], call: Call): Check<JsonValue> {

    return (value, errors, context) => {

        const isValid = options.some((option) => call(option, value, context, errors));
        if (!isValid) {
            errors.push({ keyword: 'anyOf', params: {} });
        }

        return isValid;
    };
}

function oneOf(options: readonly Schema[], call: Call): Check<JsonValue> {

    return (value, errors, context) => {

        let first: number | null = null;
        for (const [at, option] of options.entries()) {
            const isValid = call(option, value, context, errors);
            if (isValid && first !== null) {
                errors.push({ keyword: 'oneOf', params: { passingSchemas: [first, at] } });
                return false;
            }

            first = isValid ? at : first;
        }

        if (first === null) {
            errors.push({ keyword: 'oneOf', params: { passingSchemas: null } });
        }

        return first !== null;
    };
}

function allOf(parts: readonly Schema[], call: Call, isSearch: boolean): Check<JsonValue> {

    return (value, errors, context) => allValid(parts, isSearch, (part) => call(part, value, context, errors));
}

function tuple(parts: readonly Schema[], call: Call, isSearch: boolean): Check<JsonValue[]> {

    return (elements, errors, context) => allValid(parts.slice(0, elements.length).entries(), isSearch, ([at, part]) =>
        call(part, elements[at] ?? null, memberContext(elements, at, context), errors));
}

function propertyNames(schema: Schema, call: Call, isSearch: boolean): Check<JsonObject> {

    return (value, errors, context) => schema === true || allValid(Object.keys(value), isSearch, (name) => {

        const start = errors.length;
        const isValid = call(schema, name, context, errors);
        for (const error of errors.slice(start)) {
            error.propertyName = name;
        }

        if (!isValid) {
            errors.push({ keyword: 'propertyNames', params: { propertyName: name } });
        }

        return isValid;
    });
}

/** Members that must be there, or a schema that applies, where a member is present. */
function dependencies(dependents: JsonObject, call: Call, isSearch: boolean): Check<JsonObject> {

    const all = Object.entries(dependents);
    const names = all.filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
    const schemas = all.filter(([, member]) => !Array.isArray(member));
    return (value, errors, context) => {

        spend(all.length);
        const areThere = allValid(present(value, names), isSearch, ([property, needed]) => allValid(needed, isSearch, (missingProperty) => {

            const isThere = Object.hasOwn(value, missingProperty);
            if (!isThere) {
                errors.push({ keyword: 'dependentRequired', params: { property, missingProperty } });
            }

            return isThere;
        }));
        return (areThere || isSearch) && allValid(present(value, schemas), isSearch, ([, schema]) => call(schema, value, context, errors)) && areThere;
    };
}

function present<T>(value: JsonObject, dependents: readonly (readonly [string, T])[]): (readonly [string, T])[] {

    return dependents.filter(([name]) => Object.hasOwn(value, name));
}

/** Takes time by the members of the object, of which there may be far fewer than in the schema. Their order is that of the schema. */
function properties(members: JsonObject, call: Call, isSearch: boolean): Check<JsonObject> {

    const schemas = new Map(Object.entries(members).map(([name, schema], rank) => [name, { schema, rank }]));
    return (value, errors, context) => {

        const known = Object.entries(value).flatMap(([name, member]) => {

            const found = schemas.get(name);
            return found === undefined ? [] : [{ ...found, name, member }];
        });
        known.sort((one, other) => one.rank - other.rank);
        return allValid(known, isSearch, ({ schema, name, member }) => call(schema, member, memberContext(value, name, context), errors));
    };
}

function patternProperties(members: JsonObject, call: Call, isSearch: boolean): Check<JsonObject> {

    const schemas = Object.entries(members).map(([source, schema]) => [SafeRegExp.of(source), schema] as const);
    return (value, errors, context) => allValid(schemas, isSearch, ([pattern, schema]) =>
        allValid(Object.entries(value), isSearch, ([name, member]) =>
            schema === true || !pattern.test(name) || call(schema, member, memberContext(value, name, context), errors)));
}

function memberContext(parentData: JsonObject | JsonValue[], parentDataProperty: string | number, context: DataValidationCxt): DataValidationCxt {

    const { instancePath, rootData, dynamicAnchors } = context;
    return {
        instancePath: childPointer(instancePath, parentDataProperty), rootData, dynamicAnchors,
        parentData, parentDataProperty
    };
}
