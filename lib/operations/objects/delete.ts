/** `0.DOIP/Op.Delete`: deletes an object with its elements (specification: DELETE `/objects/<id>`, DOIP "Delete"). */

import Joi from 'joi';
import { withoutDryRun } from '../../core/attributes.js';
import { demand } from '../../model/caller.js';
import { withPreconditions } from '../../core/entity-tags.js';
import { demandPreconditions, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

/** Attributes that suggest that only a part is to be deleted; rejected, so that a mistake does not delete the whole object. */
const PARTS = ['jsonPointer', 'deletePointer', 'element', 'payload', 'elementsToDelete', 'payloadToDelete'];

const forbidden = (message: string): Joi.Schema => Joi.any().forbidden().messages({ 'any.unknown': `{{#label}} ${message}` });

export const remove = defineOperation<Preconditions>({
    id: Op.delete,
    aliases: ['Delete'],
    summary: 'delete an object',
    target: 'object',
    authorise: 'writer',
    attributes: withPreconditions<object>(withoutDryRun(Joi.object({
        ...Object.fromEntries(PARTS.map((name) => [name, forbidden('names a part, but the operation deletes the whole object: use 0.DOIP/Op.Update')]))
    }))),
    outputs: ['none'],

    async handler({ attributes, caller, target, requestContext, services: { objects, policy } }) {

        await objects.remove(target.id, {
            caller, requestContext,
            check: (object) => {

                demand(caller, policy.canWrite(caller, object));
                demandPreconditions(object, attributes);
            }
        });
        return result.empty();
    }
});
