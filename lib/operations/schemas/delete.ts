/** Deletes a type (specification: DELETE `/schemas/<type>`). Its objects can still be read and deleted, but not changed. */

import Joi from 'joi';
import { demand } from '../../model/caller.js';
import { text, withoutDryRun } from '../../core/attributes.js';
import { withPreconditions } from '../../core/entity-tags.js';
import { demandPreconditions, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest, notFound } from '../../errors/errors.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

interface DeleteAttributes extends Preconditions {
    readonly type: string;
}

export const deleteSchema = defineOperation<DeleteAttributes>({
    id: Op.schemasDelete,
    summary: 'delete a type',
    target: 'service',
    authorise: 'caller',
    unlisted: true,
    attributes: withPreconditions(withoutDryRun(Joi.object<DeleteAttributes>({ type: text().required() }))),
    resultSchema: constant({ msg: 'success' }),

    async handler({ attributes, caller, requestContext, services: { catalog, objects, policy } }) {

        const { type } = attributes;
        const definition = catalog.current.get(type);
        if (!definition) {
            throw notFound(`Schema ${type} does not exist.`);
        }

        if (definition.schemaId === null) {
            throw badRequest(`type ${type} is built in and cannot be deleted`);
        }

        await objects.remove(definition.schemaId, {
            caller, requestContext,
            check: (object) => {

                demand(caller, policy.canWrite(caller, object));
                demandPreconditions(object, attributes, `type ${type}`);
            }
        });
        return result.json({ msg: 'success' });
    }
});
