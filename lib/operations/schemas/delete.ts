/** Deletes a type (specification: DELETE `/schemas/<type>`). Its objects can still be read and deleted, but not changed. */

import Joi from 'joi';
import { demand } from '../../core/authorise.js';
import { text, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest, notFound } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';

export const deleteSchema = defineOperation<{ type: string }>({
    id: Op.schemasDelete,
    summary: 'delete a type',
    target: 'service',
    authorise: 'caller',
    unlisted: true,
    attributes: withoutDryRun(Joi.object<{ type: string }>({ type: text().required() })),

    async handler({ attributes: { type }, caller, requestContext, services: { catalog, objects, policy } }) {

        const definition = catalog.current.get(type);
        if (!definition) {
            throw notFound(`Schema ${type} does not exist.`);
        }

        if (definition.schemaId === null) {
            throw badRequest(`type ${type} is built in and cannot be deleted`);
        }

        await objects.remove(definition.schemaId, {
            caller, requestContext,
            check: (object) => demand(caller, policy.canWrite(caller, object))
        });
        return result.json({ msg: 'success' });
    }
});
