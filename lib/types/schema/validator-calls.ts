/**
 * Keywords that hand a value on to the validator of another schema, which is made when it is first needed. So no schema is
 * compiled in one piece with all that it refers to, and one that refers to itself is not compiled for ever.
 */

import type { DataValidateFunction, DataValidationCxt, ErrorObject, FuncKeywordDefinition } from 'ajv/dist/types/index.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { childPointer } from '../../json/pointer.js';
import { MANY_PROPERTIES, REFERENCE } from './linked-schema.js';
import type { Schema } from './shapes.js';
import { isSchema } from './shapes.js';
import { spend } from '../../util/concurrency/time-budget.js';
import type { ValidateFunction } from 'ajv';

/** About what a call costs, in steps of the budget. */
const CALL_COST = 20;

/** What the keywords need of the compiler. */
interface Tools {
    readonly targets: readonly Schema[];
    readonly validatorOf: ValidatorOf;
    readonly allErrors: boolean;
}

/** The keywords, for linked schemas. */
export function callingKeywords(tools: Tools): FuncKeywordDefinition[] {

    return [reference(tools), manyProperties(tools)];
}

function reference({ targets, validatorOf }: Tools): FuncKeywordDefinition {

    return {
        keyword: REFERENCE,
        schemaType: 'number',
        errors: 'full',
        compile: (number: number) => {

            const target = targets[number] ?? false;
            const validate: DataValidateFunction = (value: JsonValue, context?: DataValidationCxt) => {

                spend(CALL_COST);
                const called = validatorOf(target);
                const isValid = called(value, context) === true;
                validate.errors = isValid ? [] : called.errors ?? [];
                return isValid;
            };

            return validate;
        }
    };
}

function manyProperties({ validatorOf, allErrors }: Tools): FuncKeywordDefinition {

    return {
        keyword: MANY_PROPERTIES,
        type: 'object',
        schemaType: 'object',
        errors: 'full',
        compile: (properties: JsonObject) => {

            const schemas = new Map(Object.entries(properties));
            const validate: DataValidateFunction = (value: JsonObject, context?: DataValidationCxt) => {

                const errors: Partial<ErrorObject>[] = [];
                for (const [name, member] of Object.entries(value)) {
                    const schema = schemas.get(name);
                    const called = isSchema(schema) ? validatorOf(schema) : undefined;
                    if (called?.(member, memberContext(value, name, context)) === false) {
                        errors.push(...called.errors ?? []);
                        if (!allErrors) {
                            break;
                        }
                    }
                }

                validate.errors = errors;
                return errors.length === 0;
            };

            return validate;
        }
    };
}

function memberContext(parentData: JsonObject, parentDataProperty: string, context: DataValidationCxt | undefined): DataValidationCxt {

    return {
        instancePath: childPointer(context?.instancePath ?? '', parentDataProperty),
        parentData,
        parentDataProperty,
        rootData: context?.rootData ?? parentData,
        dynamicAnchors: {}
    };
}

/** Finds or makes the validator of a linked schema, or of a schema within them. */
export type ValidatorOf = (schema: Schema) => ValidateFunction;
