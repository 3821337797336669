/**
 * `gateway/Op.Schemas.Rehearse`: tries another definition of the type of an object, which is not stored, on the object: what an update of it with its own
 * content would store. Nothing is stored. Requires the right to read the object, and to write the Schema object of its type. Attempts that fail are in the
 * audit log, too: code that is stored nowhere has run.
 */

import Joi from 'joi';
import type { JsonObject } from '../../util/json-types.js';
import { demand } from '../../model/caller.js';
import type { StoredObject } from '../../model/stored-object.js';
import { recordingFailure } from '../../core/auditing.js';
import { defineOperation, result } from '../../core/operation.js';
import { withoutDryRun } from '../../core/attributes.js';
import type { OperationContext } from '../../core/operation-context.js';
import { Op } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT } from '../../doip/result-schemas.js';
import { badRequest, conflict } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { objectAnswer } from '../../objects/read/object-presenter.js';

export const rehearseSchema = defineOperation({
    id: Op.schemasRehearse,
    summary: 'try another definition of the type of an object on it, without storing anything',
    target: 'object',
    authorise: demandAuthor,
    input: 'json',
    unlisted: true,
    attributes: withoutDryRun(Joi.object<JsonObject>({})),
    resultSchema: DIGITAL_OBJECT,

    async handler(context) {

        const { caller, inputJson, requestContext, services: { policy, rehearsal }, target } = context;
        if (!isJsonObject(inputJson) || !isJsonObject(inputJson['schema']) || !['string', 'undefined'].includes(typeof inputJson['javascript'])) {
            throw badRequest('the input must be the content of a Schema object: a JSON object with a schema, and perhaps javascript as text');
        }

        const { id, type } = target;
        const checkAuthor = (schema: StoredObject): void => demand(caller, policy.canWrite(caller, schema));
        const object = await recordingFailure(context, () => rehearsal.update({ type, definition: inputJson, id, checkAuthor }, {
            caller, requestContext,
            check: (now) => {

                demand(caller, policy.canRead(caller, now));
                if (now.type !== type) {
                    throw conflict(`object ${id} has another type meanwhile`);
                }
            }
        }));
        return result.json(...objectAnswer(context, object));
    }
});

/** @throws DoipError 400, 401 or 403 */
async function demandAuthor({ caller, target, services: { catalog, loader, policy } }: OperationContext): Promise<void> {

    demand(caller, policy.canRead(caller, target));
    const schemaId = catalog.current.get(target.type)?.schemaId ?? null;
    const schema = schemaId === null ? null : await loader.find(schemaId);
    if (!schema) {
        throw badRequest(`type ${target.type} is built in, or does not exist: it cannot be changed`);
    }

    demand(caller, policy.canWrite(caller, schema));
}
