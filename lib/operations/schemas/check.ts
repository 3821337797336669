/**
 * `gateway/Op.Schemas.Check`: which stored objects of a type would not fit another schema for it, page by page. Nothing is stored. Requires the right to write
 * the Schema object, or to create one for a new type.
 */

import Joi from 'joi';
import { demand } from '../../model/caller.js';
import { text, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import type { OperationContext } from '../../core/operation-context.js';
import { Op } from '../../doip/operation-ids.js';
import { SCHEMA_CHECK } from '../../doip/result-schemas.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { checkTypeName } from '../../objects/input/field-validation.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';

interface CheckAttributes {
    readonly type: string;
    readonly after: string;
    readonly pageSize: number;
}

const DEFAULT_PAGE = 200;
const MAX_PAGE = 1000;

export const checkSchema = defineOperation<CheckAttributes>({
    id: Op.schemasCheck,
    summary: 'check which objects of a type would not fit another schema',
    target: 'service',
    authorise: demandWriter,
    input: 'json',
    attributes: withoutDryRun(Joi.object<CheckAttributes>({
        type: text().required(),
        after: text().default('').description('next of the page before'),
        pageSize: Joi.number().integer().min(1).max(MAX_PAGE).default(DEFAULT_PAGE)
    })),
    resultSchema: SCHEMA_CHECK,

    async handler({ attributes: { type, after, pageSize }, caller, inputJson, requestContext, services: { schemaCheck, search }, signal, transport }) {

        if (!isJsonObject(inputJson)) {
            throw badRequest('a schema must be a JSON object');
        }

        const { next, ...page } = await schemaCheck.page({ type, schema: inputJson, after, pageSize }, caller, signal);
        const total = await search.countOfType(type, { caller, requestContext, signal, remoteAddress: transport.remoteAddress });
        return result.json({ type, total, ...page, ...next === null ? {} : { next } } as never);
    }
});

/** @throws DoipError 400, 401 or 403 */
async function demandWriter({ attributes, caller, services: { catalog, limits, loader, policy } }: OperationContext<CheckAttributes>): Promise<void> {

    const schemaId = catalog.current.get(checkTypeName(attributes.type, limits))?.schemaId ?? null;
    const object = schemaId === null ? null : await loader.find(schemaId);
    demand(caller, object ? policy.canWrite(caller, object) : policy.canCreate(caller, SCHEMA_TYPE));
}
