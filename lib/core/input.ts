/**
 * Validates attributes and input against the declaration of an operation. Unknown attributes are allowed; invalid values of
 * known ones are errors of the caller.
 */

import type Joi from 'joi';
import type { DoipRequest } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Operation } from './operation.js';
import { areExact, asDeclared } from './attributes.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';
import { expectNone, isNone, readJson, readOptionalJson } from '../doip/segments.js';
import { getOrAdd } from '../util/cache/get-or-add.js';


const joiOptions: Joi.ValidationOptions = { allowUnknown: true, abortEarly: true, convert: true };

/** Returns the validated attributes of a request, with defaults. For `texts` see {@link asDeclared}. @throws DoipError 400 */
export function shapeAttributes(operation: Operation, attributes: JsonObject, texts?: ReadonlyMap<string, string>): JsonObject {

    const { attributes: schema } = operation;
    if (!schema) {
        return attributes;
    }

    if (isEmpty(attributes)) {
        return defaultsOf(schema);
    }

    const declared = asDeclared(schema, attributes, texts);
    return areExact(schema, declared) ? Object.assign({}, defaultsOf(schema), declared) : validate(schema, declared);
}

/** Cached results of validating no attributes: by far the most frequent case. */
const defaults = new WeakMap<Joi.ObjectSchema, JsonObject>();

function defaultsOf(schema: Joi.ObjectSchema): JsonObject {

    return getOrAdd(defaults, schema, () => Object.freeze(validate(schema, {})));
}

function isEmpty(attributes: JsonObject): boolean {

    for (const _ in attributes) {
        return false;
    }

    return true;
}

function validate(schema: Joi.ObjectSchema, attributes: JsonObject): JsonObject {

    const checked: Joi.ValidationResult<JsonObject> = schema.validate(attributes, joiOptions);
    if (checked.error) {
        throw badRequest(`attribute ${checked.error.message}`);
    }

    return checked.value;
}

/** The part of a context that the input determines. */
interface InputContext {
    inputJson: JsonValue | undefined;
}

/**
 * Reads and validates the input as declared by the operation, except segments, which its handler reads. To be awaited; undefined if there is
 * nothing to wait for.
 *
 * @throws DoipError 400
 */
export function shapeInput(operation: Operation, context: InputContext, input: DoipRequest['input']): Promise<void> | undefined {

    const { input: kind = 'none' } = operation;
    if (kind === 'segments' || kind === 'none' && isNone(input)) {
        return undefined;
    }

    return kind === 'none' ? expectNone(input) : shapeJson(operation, context, input);
}

async function shapeJson(operation: Operation, context: InputContext, input: DoipRequest['input']): Promise<void> {

    const value = operation.input === 'json' ? await readJson(input) : await readOptionalJson(input);
    context.inputJson = value === undefined ? undefined : checkInput(operation, value);
}

function checkInput(operation: Operation, input: JsonValue): JsonValue {

    const value = operation.inputMembers && isJsonObject(input) ? picked(input, operation.inputMembers) : input;
    if (!operation.inputSchema) {
        return value;
    }

    const checked = operation.inputSchema.validate(value, joiOptions) as Joi.ValidationResult<JsonValue>;
    if (checked.error) {
        throw badRequest(`input ${checked.error.message}`);
    }

    return checked.value;
}

function picked(value: JsonObject, members: readonly string[]): JsonObject {

    return Object.fromEntries(members.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name] as JsonValue]));
}
