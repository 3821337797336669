/** `20.DOIP/Op.Relationships.Get`: the objects that an object references, and those that reference it (specification: DOIP "Relationships.Get"). */

import Joi from 'joi';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT, relationships } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';

export const getRelationships = defineOperation<{ readonly outboundOnly: boolean }>({
    id: Op.relationshipsGet,
    summary: 'list the objects that an object refers to, and those that refer to it',
    target: 'object',
    readOnly: true,
    authorise: 'reader',
    attributes: Joi.object({ outboundOnly: flag().default(false) }),
    resultSchema: relationships(DIGITAL_OBJECT),

    async handler({ caller, target, requestContext, signal, attributes, services }) {

        const graph = await services.relationships.graph(target, attributes, { caller, requestContext, signal });
        return result.json(graph, objectAttributes({ caller, services }, target));
    }
});
