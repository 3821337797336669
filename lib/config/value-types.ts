/** Types of values that joi does not have. */

import Joi from 'joi';

/** A list: an array, or a text with commas, where `none` is an empty one. */
export const Lists = Joi.extend((joi: Joi.Root) => ({
    type: 'list',
    base: joi.array(),
    coerce: {
        from: 'string',
        method: (value: string) => ({
            value: value.trim() === 'none' ? [] : value.split(',').map((item) => item.trim()).filter((item) => item !== '')
        })
    }
})) as Joi.Root & { list(): Joi.ArraySchema };

/** A TCP port; empty or `off` for none. */
export const Ports = Joi.extend((joi: Joi.Root) => ({
    type: 'port',
    base: joi.number().integer().min(0).max(65_535).allow(null),
    coerce: {
        from: 'string',
        method: (value: string) => ({ value: value.trim() === '' || value === 'off' ? null : Number(value) })
    }
})) as Joi.Root & { port(): Joi.NumberSchema };
