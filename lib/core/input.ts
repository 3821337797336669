/**
 * Brings attributes and input into the shape that an operation declares. Unknown attributes pass, wrong values of known
 * ones are the caller's mistake.
 */

import type Joi from 'joi';
import type { DoipRequest } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Operation } from './operation.js';
import { asDeclared } from './attributes.js';
import { badRequest } from '../errors/errors.js';
import { isJsonObject } from '../util/json-types.js';
import { expectNone, readJson, readOptionalJson } from '../doip/segments.js';


const joiOptions: Joi.ValidationOptions = { allowUnknown: true, abortEarly: true, convert: true };

/** The validated attributes of a request, with defaults. `texts` as for {@link asDeclared}. */
export function shapeAttributes(operation: Operation, attributes: JsonObject, texts?: ReadonlyMap<string, string>): JsonObject {

    if (!operation.attributes) {
        return attributes;
    }

    if (isEmpty(attributes)) {
        return defaultsOf(operation.attributes);
    }

    return validate(operation.attributes, asDeclared(operation.attributes, attributes, texts));
}

/** What schemas make of no attributes at all: the most frequent request by far, and the same every time. */
const defaults = new WeakMap<Joi.ObjectSchema, JsonObject>();

function defaultsOf(schema: Joi.ObjectSchema): JsonObject {

    let value = defaults.get(schema);
    if (!value) {
        value = Object.freeze(validate(schema, {}));
        defaults.set(schema, value);
    }

    return value;
}

function isEmpty(attributes: JsonObject): boolean {

    for (const name in attributes) {
        if (Object.hasOwn(attributes, name)) {
            return false;
        }
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

/** Reads the input as far as the operation wants it read before its handler runs. */
export async function shapeInput(operation: Operation, context: { inputJson: JsonValue | undefined }, input: DoipRequest['input']): Promise<void> {

    switch (operation.input ?? 'none') {
        case 'segments':
            return;
        case 'none':
            return expectNone(input);
        case 'json':
            context.inputJson = checkInput(operation, await readJson(input));
            return;
        case 'optional-json': {
            const value = await readOptionalJson(input);
            context.inputJson = value === undefined ? undefined : checkInput(operation, value);
        }
    }
}

function checkInput(operation: Operation, given: JsonValue): JsonValue {

    const value = operation.inputMembers && isJsonObject(given) ? picked(given, operation.inputMembers) : given;
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
