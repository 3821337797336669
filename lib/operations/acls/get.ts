/** Reads the access control list of an object (specification: GET `/acls/<id>`). */

import type { JsonObject } from '../../util/json-types.js';
import { tagged } from '../../core/entity-tags.js';
import { entityTagOf } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';
import { Op } from '../../doip/operation-ids.js';
import { ACL } from '../../doip/result-schemas.js';

export const getAcl = defineOperation({
    id: Op.aclsGet,
    summary: 'read the access control list of an object',
    target: 'object',
    methods: ['GET', 'POST'],
    authorise: 'reader',
    missing: 'No such object',
    unlisted: true,
    resultSchema: ACL,

    async handler({ caller, target, services }) {

        const { policy } = services;
        const acl = (policy.visibleTo(caller, target).acl ?? {}) as JsonObject;
        return tagged(result.json(acl, objectAttributes({ caller, services }, target)), policy.hidesFrom(caller, target) ? null : entityTagOf(target));
    }
});
