/**
 * Keywords implemented here instead of by ajv: in linear time where ajv compares all pairs, or exactly where ajv has gaps.
 */

import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Decimal } from '../../json/decimals.js';
import { decimalOf, distanceOf, isMultiple } from '../../json/decimals.js';
import { spend } from '../../util/concurrency/time-budget.js';
import { LONG_CONST, LONG_ENUM } from './linked-schema.js';
import type { Linked } from './unevaluated.js';
import { unevaluatedIndices, unevaluatedNames } from './unevaluated.js';

/** Keywords that are removed from ajv because ours replace them. */
export const REPLACED_KEYWORDS: readonly string[] = ['$ref', 'multipleOf', 'uniqueItems', 'unevaluatedProperties', 'unevaluatedItems'];

/** Returns the keywords of this file for linked schemas. */
export function customKeywords(linked: Linked): FuncKeywordDefinition[] {

    return [
        MULTIPLE_OF,
        UNIQUE_ITEMS,
        ENUM,
        CONST,
        unevaluated(linked, { keyword: 'unevaluatedProperties', type: 'object', param: 'unevaluatedProperty', find: unevaluatedNames }),
        unevaluated(linked, { keyword: 'unevaluatedItems', type: 'array', param: 'unevaluatedItem', find: unevaluatedIndices })
    ];
}

/** Cost of reading a number as a decimal, in steps of the time budget; each power of ten adds one step. */
const DECIMAL_COST = 60;

/** In decimals: 1234567.89 is a multiple of 0.01, although the quotient of their doubles is no integer. */
const MULTIPLE_OF: FuncKeywordDefinition = {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: true,
    compile: (multipleOf: number) => {

        const step = decimalOf(String(multipleOf));
        const validate: SchemaValidateFunction = (value: number) =>
            report(validate, 'multipleOf', isStep(value, multipleOf, step) ? undefined : { multipleOf });
        return validate;
    }
};

function isStep(value: number, multipleOf: number, step: Decimal): boolean {

    if (Number.isSafeInteger(value) && Number.isSafeInteger(multipleOf)) {
        return value % multipleOf === 0;
    }

    const decimal = decimalOf(String(value));
    spend(DECIMAL_COST + distanceOf(decimal, step));
    return isMultiple(decimal, step);
}

const UNIQUE_ITEMS: FuncKeywordDefinition = {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    compile: (isUnique: boolean) => {

        const validate: SchemaValidateFunction = (elements: JsonValue[]) => {

            const equal = isUnique && elements.length > 1 ? equalElements(elements) : undefined;
            return report(validate, 'uniqueItems', equal);
        };

        return validate;
    }
};

const ENUM: FuncKeywordDefinition = {
    keyword: LONG_ENUM,
    schemaType: 'array',
    errors: true,
    compile: (allowedValues: JsonValue[]) => {

        const allowed = new Set(allowedValues.map(keyOf));
        const validate: SchemaValidateFunction = (value: JsonValue) =>
            report(validate, 'enum', allowed.has(keyOf(value)) ? undefined : { allowedValues });
        return validate;
    }
};

const CONST: FuncKeywordDefinition = {
    keyword: LONG_CONST,
    schemaType: 'array',
    errors: true,
    compile: ([allowedValue = null]: JsonValue[]) => {

        const allowed = keyOf(allowedValue);
        const validate: SchemaValidateFunction = (value: JsonValue) =>
            report(validate, 'const', keyOf(value) === allowed ? undefined : { allowedValue });
        return validate;
    }
};

/** A keyword for members that no other keyword applies to: `find` returns their names or indices, `param` tells the first faulty one. */
function unevaluated(linked: Linked, { keyword, type, param, find }: {
    keyword: string; type: 'object' | 'array'; param: string; find: typeof unevaluatedNames | typeof unevaluatedIndices;
}): FuncKeywordDefinition {

    return {
        keyword,
        type,
        schemaType: ['object', 'boolean'],
        errors: true,
        compile: (schema: JsonValue, parent: JsonObject) => {

            const validate: SchemaValidateFunction = (value: JsonObject) => {

                const invalid = find(parent, value as never, linked).find((key) => !linked.matches(schema, value[key] ?? null));
                return report(validate, keyword, invalid === undefined ? undefined : { [param]: String(invalid) });
            };

            return validate;
        }
    };
}

/** Sets the errors of a validation function as ajv expects them. Returns true if there is none: `params` is undefined. */
function report(validate: SchemaValidateFunction, keyword: string, params: Record<string, unknown> | undefined): boolean {

    validate.errors = params ? [{ keyword, params }] : [];
    return params === undefined;
}

/** Approximate cost of looking at an element, in steps of the time budget. */
const ELEMENT_COST = 40;

/** Returns the indices of the first pair of equal elements, `j` < `i`; undefined if all differ. */
function equalElements(elements: readonly JsonValue[]): { i: number; j: number } | undefined {

    const seen = new Map<unknown, number>();
    for (const [i, element] of elements.entries()) {
        spend(ELEMENT_COST);
        const key = keyOf(element);
        const j = seen.get(key);
        if (j !== undefined) {
            return { i, j };
        }

        seen.set(key, i);
    }

    return undefined;
}

/**
 * Returns a key that is equal for equal values only. Strings are prefixed, so that none equals the JSON of an array or object;
 * other scalars are their own keys.
 */
function keyOf(value: JsonValue): unknown {

    if (typeof value === 'string') {
        return `s${value}`;
    }

    return typeof value === 'object' && value !== null ? canonical(value) : value;
}

/** Returns JSON with sorted names. It is joined once, since nested values would be copied as often as they are nested. */
function canonical(value: JsonValue): string {

    const parts: string[] = [];
    addCanonical(parts, value);
    const text = parts.join('');
    spend(text.length);
    return text;
}

function addCanonical(parts: string[], value: JsonValue): void {

    if (typeof value !== 'object' || value === null) {
        parts.push(JSON.stringify(value));
        return;
    }

    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    let separator = open;
    for (const name of Array.isArray(value) ? value.keys() : Object.keys(value).sort()) {
        parts.push(typeof name === 'number' ? separator : `${separator}${JSON.stringify(name)}:`);
        addCanonical(parts, (value as JsonObject)[name] ?? null);
        separator = ',';
    }

    parts.push(separator === open ? open + close : close);
}
