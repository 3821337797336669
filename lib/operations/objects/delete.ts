/**
 * `0.DOIP/Op.Delete`: deletes an object with its elements (specification: DELETE `/objects/<id>`, DOIP "Delete").
 */

import { demand } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const remove = defineOperation({
    id: Op.delete,
    aliases: ['Delete'],
    summary: 'delete an object',
    target: 'object',
    authorise: 'writer',

    async handler({ caller, target, requestContext, services: { objects, policy } }) {

        await objects.remove(target.id, {
            caller, requestContext,
            check: (object) => demand(caller, policy.canWrite(caller, object))
        });
        return result.empty();
    }
});
