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

    return bounded(() => CompiledSchema.compile(new SchemaDocument('', schema), lookup, []).validate(value));
}

/** The same after a large schema was compiled in several turns of the event loop. */
export async function errorsBySchemaInTurns(schema: JsonValue, value: JsonValue, lookup: SchemaLookup): Promise<ContentError[]> {

    const compiled = bounded(() => CompiledSchema.compile(new SchemaDocument('', schema), lookup, []));
    await compiled.prepare();
    return bounded(() => compiled.validate(value));
}

function bounded<T>(work: () => T): T {

    startBudget();
    try {
        return work();
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
