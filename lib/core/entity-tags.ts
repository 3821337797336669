/** Entity tags of results, and the attributes of operations that name them. See `model/preconditions.ts`. */

import type Joi from 'joi';
import type { Preconditions } from '../model/preconditions.js';
import { texts } from './attributes.js';
import type { OperationResult } from './operation.js';

/** Extends the schema of an operation by the attributes of {@link Preconditions}. */
export function withPreconditions<A>(schema: Joi.ObjectSchema<A>): Joi.ObjectSchema<A & Preconditions> {

    return (schema as Joi.ObjectSchema).append({ ifMatch: texts(), ifNoneMatch: texts() }) as Joi.ObjectSchema<A & Preconditions>;
}

/** Adds the tag of a version to a new result that depends on nothing else. */
export function tagged(result: OperationResult, entityTag: string | null): OperationResult {

    // Merging both into a new object would take ten times as long.
    return entityTag === null ? result : Object.assign(result, { entityTag });
}
