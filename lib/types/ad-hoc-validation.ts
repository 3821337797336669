/**
 * Validation against a schema that belongs to no type, for scripts. The schema may refer to the schemas of types.
 */

import type { ContentError } from '../errors/errors.js';
import { badRequest, type DoipError } from '../errors/errors.js';
import type { JsonValue } from '../util/json-types.js';
import { atOnce, inTurns } from '../util/concurrency/steps.js';
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

    return bounded(() => atOnce(CompiledSchema.link(new SchemaDocument('', schema), lookup, [])).validate(value));
}

/** The same after a large schema was compiled in several turns of the event loop. */
export async function errorsBySchemaInTurns(schema: JsonValue, value: JsonValue, lookup: SchemaLookup): Promise<ContentError[]> {

    try {
        const compiled = await inTurns(CompiledSchema.link(new SchemaDocument('', schema), lookup, []));
        await inTurns(compiled.compileParts());
        return bounded(() => compiled.validate(value));
    }
    catch (error) {
        throw error instanceof UnusableSchema ? unusable(error) : error;
    }
}

function bounded<T>(work: () => T): T {

    startBudget();
    try {
        return work();
    }
    catch (error) {
        if (error instanceof UnusableSchema || error instanceof BudgetExceeded) {
            throw unusable(error);
        }

        if (error instanceof RangeError) {
            throw badRequest('the value is nested too deeply');
        }

        throw error;
    }
}

function unusable({ message }: Error): DoipError {

    return badRequest(`the schema cannot be used: ${message}`);
}
