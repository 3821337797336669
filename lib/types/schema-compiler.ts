/**
 * Makes validators of linked schemas with ajv. Whatever hostile content or careless schemas could slow down (patterns,
 * unique elements, long lists of values, schemas that multiply) is replaced or counted here.
 */

import Ajv2019 from 'ajv/dist/2019.js';
import type { FuncKeywordDefinition, SchemaValidateFunction, ValidateFunction } from 'ajv';
import type { JsonValue } from '../doip/json.js';
import { LinearPattern } from './linear-pattern.js';
import { schemaFormats } from './schema-formats.js';
import { LONG_ENUM, VISIT } from './schema-linker.js';
import type { Schema } from './schema-shapes.js';
import { spend } from './work-budget.js';

/** Finds the validator of the linked schema with a number. */
export type Validators = (target: number) => ValidateFunction;

/** Key of the schemas within their compiler. */
const KEY = 'type';

/** About what a visit of a schema that leads on to others costs, in steps of the budget. */
const VISIT_COST = 20;

const FORMATS = schemaFormats();

const UNIQUE_ITEMS: FuncKeywordDefinition = {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    compile: (isUnique: boolean) => {

        const validate: SchemaValidateFunction = (elements: JsonValue[]) => {

            const equal = isUnique ? equalElements(elements) : undefined;
            validate.errors = equal ? [{ keyword: 'uniqueItems', params: equal }] : [];
            return equal === undefined;
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
        const validate: SchemaValidateFunction = (value: JsonValue) => {

            validate.errors = [{ keyword: 'enum', params: { allowedValues } }];
            return allowed.has(keyOf(value));
        };

        return validate;
    }
};

const COUNTED: FuncKeywordDefinition = {
    keyword: VISIT,
    schema: false,
    valid: true,
    errors: false,
    validate: () => {

        spend(VISIT_COST);
        return true;
    }
};

/**
 * Compiles linked schemas. A validator is made when it is first asked for.
 *
 * @param allErrors true to go on after the first fault.
 */
export function compileSchemas(targets: readonly Schema[], allErrors: boolean): Validators {

    // a compiler of its own for each type costs 0.2 ms, and lets all that belongs to the type go with it
    const ajv = createAjv(allErrors);
    ajv.addSchema({ t: targets }, KEY);
    const validators: ValidateFunction[] = [];
    return (target) => {

        const validator = validators[target] ?? ajv.getSchema(`${KEY}#/t/${target}`);
        if (!validator) {
            throw new Error(`there is no linked schema ${target}`);
        }

        validators[target] = validator;
        return validator;
    };
}

function createAjv(allErrors: boolean): Ajv2019 {

    const regExp = Object.assign((source: string) => LinearPattern.of(source), { code: 'LinearPattern.of' });
    const ajv = new Ajv2019({
        allErrors,
        strict: false,
        meta: false,
        validateSchema: false,
        logger: false,
        // a property called `constructor` is only there when the content has it
        ownProperties: true,
        unicodeRegExp: true,
        // 19.99 is a multiple of 0.01, whatever binary fractions say
        multipleOfPrecision: 9,
        formats: FORMATS,
        // optimising takes five times as long as compiling and gains nothing
        code: { regExp, optimize: false }
    });
    ajv.removeKeyword('uniqueItems');
    return ajv.addVocabulary([UNIQUE_ITEMS, ENUM, COUNTED]);
}

/** The places of two equal elements, the first that there are; undefined when all differ. */
function equalElements(elements: readonly JsonValue[]): { i: number; j: number } | undefined {

    const seen = new Map<unknown, number>();
    for (const [i, element] of elements.entries()) {
        const key = keyOf(element);
        const j = seen.get(key);
        if (j !== undefined) {
            return { i, j };
        }

        seen.set(key, i);
    }

    return undefined;
}

/** Equal for equal values only. Scalars are their own keys; a text never begins like the key of an array or object. */
function keyOf(value: JsonValue): unknown {

    if (typeof value === 'string') {
        return `s${value}`;
    }

    return typeof value === 'object' && value !== null ? canonical(value) : value;
}

function canonical(value: JsonValue): string {

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    if (Array.isArray(value)) {
        return `[${value.map(canonical).join()}]`;
    }

    return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join()}}`;
}
