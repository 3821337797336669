/**
 * Validation against a schema that belongs to no type, for scripts. The schema may refer to the schemas of types.
 */

import type { ContentError } from '../errors/errors.js';
import { badRequest } from '../errors/errors.js';
import type { JsonValue } from '../util/json-types.js';
import { CompiledSchema } from './compiled-schema.js';
import { SchemaDocument } from './schema/document.js';
import { UnusableSchema } from './schema/linker.js';
import { BudgetExceeded, startBudget } from '../util/concurrency/time-budget.js';
import type { SchemaLookup } from './schema/linked-schema.js';

/**
 * Returns the errors of a value; empty if it is valid.
 *
 * @throws DoipError 400 if the schema is unusable or too expensive to evaluate
 */
export function errorsBySchema(schema: JsonValue, value: JsonValue, lookup: SchemaLookup): ContentError[] {

    startBudget();
    try {
        return CompiledSchema.compile(new SchemaDocument('', schema), lookup, []).validate(value);
    }
    catch (error) {
        if (error instanceof UnusableSchema || error instanceof BudgetExceeded) {
            throw badRequest(`the schema cannot be used: ${error.message}`);
        }

        if (error instanceof RangeError) {
            throw badRequest('the value is nested too deeply');
        }

        throw error;
    }
}
