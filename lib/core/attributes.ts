/**
 * Building blocks for the attribute schemas of operations. Attributes often come out of a query string, where `123` is
 * read as a number and `true` as a boolean: where a string is meant, both are taken back to strings.
 */

import Joi from 'joi';

/** A string; a number or boolean is read as its JSON text. */
export function text(): Joi.AnySchema {

    return Joi.any().custom((value: unknown, helpers) => {

        if (typeof value === 'string') {
            return value;
        }

        if (typeof value === 'number' || typeof value === 'boolean') {
            return String(value);
        }

        return helpers.message({ custom: '{{#label}} must be a string' });
    });
}

/** `true` or `false`, also as strings in any case. */
export function flag(): Joi.BooleanSchema {

    return Joi.boolean();
}

/** One string or an array of them. */
export function texts(): Joi.ArraySchema {

    return Joi.array().items(text()).single();
}
