/**
 * `20.DOIP/Op.ReindexBatch`: reindexes objects (specification: POST `/reindexBatch`, DOIP "ReindexBatch"). Responds when all are indexed. A
 * job does the work, which continues when the client disconnects or the process ends.
 */

import Joi from 'joi';
import type { JsonValue } from '../../util/json-types.js';
import { flag, text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';
import type { ReindexRequest } from '../../search/reindexer.js';

interface ReindexAttributes {
    readonly lockObjects: boolean;
    readonly query?: string;
    readonly all: boolean;
}

export const reindexBatch = defineOperation<ReindexAttributes>({
    id: Op.reindexBatch,
    summary: 'index objects again',
    target: 'service',
    authorise: 'admin',
    attributes: Joi.object<ReindexAttributes>({ lockObjects: flag().default(true), query: text(), all: flag().default(false) }),
    input: 'optional-json',
    resultSchema: constant({ success: true, msg: 'success' }),

    async handler({ attributes, inputJson, services: { reindexing }, signal }) {

        await reindexing.run(toRequest(attributes, inputJson), { lockObjects: attributes.lockObjects, signal });
        return result.json({ success: true, msg: 'success' });
    }
});

function toRequest({ all, query }: ReindexAttributes, ids: JsonValue | undefined): ReindexRequest {

    if (all) {
        return 'all';
    }

    if (query !== undefined && query.trim() !== '') {
        return { query };
    }

    if (ids === undefined || ids === null) {
        throw badRequest('Missing ids: send an array of ids, or the attribute query or all');
    }

    if (!Array.isArray(ids) || !ids.every((id): id is string => typeof id === 'string')) {
        throw badRequest('the input must be an array of object ids');
    }

    return { ids };
}
