/**
 * Resolves the handle of an object or of the service to its record, in the format of the public handle proxy. Public: callers who may not
 * read the object get the same error as for an unknown handle.
 */

import Joi from 'joi';
import { texts } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { HANDLE_RECORD } from '../../doip/result-schemas.js';
import { resolvingOf } from '../../handles/handle-resolver.js';

/** Maximum number of filter values in a request. */
const MAX_FILTER_VALUES = 100;

export const resolveHandle = defineOperation<{ readonly index: readonly number[]; readonly type: readonly string[] }>({
    id: Op.handlesResolve,
    summary: 'resolve a handle to its record',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    unlisted: true,
    attributes: Joi.object({
        index: Joi.array().items(Joi.number().integer().min(0)).single().max(MAX_FILTER_VALUES).default([]),
        type: texts().max(MAX_FILTER_VALUES).default([])
    }),
    resultSchema: HANDLE_RECORD,

    async handler(context) {

        const { attributes: { index, type }, services: { handles } } = context;
        return result.json(await handles.resolver.resolve(resolvingOf(context), { indexes: index, types: type }));
    }
});
