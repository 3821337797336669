/**
 * Replaces the access control list of an object (specification: PUT `/acls/<id>`). An absent array means the defaults of the type, an empty
 * one administrators only; a list without members, and `null`, remove the list.
 */

import Joi from 'joi';
import type { JsonObject } from '../../util/json-types.js';
import { withoutDryRun } from '../../core/attributes.js';
import { demand } from '../../model/caller.js';
import { tagged, withPreconditions } from '../../core/entity-tags.js';
import { demandPreconditions, entityTagOf, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { ACL } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';
import { checkAcl } from '../../objects/input/field-validation.js';

export const updateAcl = defineOperation<Preconditions>({
    id: Op.aclsUpdate,
    summary: 'replace the access control list of an object',
    target: 'object',
    authorise: 'writer',
    input: 'json',
    attributes: withPreconditions<object>(withoutDryRun(Joi.object())),
    missing: 'No such object',
    unlisted: true,
    resultSchema: ACL,

    async handler({ attributes, caller, target, inputJson, requestContext, services }) {

        const { objects, policy, limits } = services;
        const given = inputJson === null ? {} : checkAcl(inputJson ?? null, limits);
        const acl = Object.keys(given).length > 0 ? given : null;
        const stored = await objects.updateAcl(target.id, acl, {
            caller, requestContext,
            check: (object) => {

                demand(caller, policy.canWrite(caller, object));
                demandPreconditions(object, attributes);
                demand(caller, policy.canGrantMethods(caller, { type: object.type, acl, before: object }));
            }
        });
        return tagged(result.json(given as JsonObject, objectAttributes({ caller, services }, stored)), entityTagOf(stored));
    }
});
