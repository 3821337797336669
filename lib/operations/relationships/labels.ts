/** `gateway/Op.Labels`: labels of many objects at once, as far as the caller may read them. */

import Joi from 'joi';
import { texts } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { LABELS, whole } from '../../doip/result-schemas.js';
import { badRequest } from '../../errors/errors.js';

const MAX_IDS = 500;

const ids = Joi.array().items(Joi.string().allow('')).max(MAX_IDS).label('ids');

export const getLabels = defineOperation<{ readonly ids?: readonly string[] }>({
    id: Op.labels,
    summary: 'return labels of objects, for people',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    attributes: Joi.object({ ids: texts().max(MAX_IDS).description('ids of objects; alternatively the input is an array of them') }),
    input: 'optional-json',
    inputSchema: ids,
    resultSchema: whole({ results: LABELS }),

    async handler({ attributes, caller, inputJson, requestContext, services: { labels }, signal }) {

        if ((attributes.ids === undefined) === (inputJson === undefined)) {
            throw badRequest('ids are either an attribute or the input, which is an array of them');
        }

        const found = await labels.of(attributes.ids ?? inputJson as unknown as string[], { caller, requestContext, signal });
        return result.json({ results: Object.fromEntries(found) as never });
    }
});
