/**
 * Locates the object of a handle as the public handle proxy does: by the name of a view, otherwise by the weights of its links. Access as
 * for the handle record.
 */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { HANDLE_RECORD, whole } from '../../doip/result-schemas.js';
import { resolvingOf } from '../../handles/handle-resolver.js';

export const locateHandle = defineOperation<{ readonly view?: string }>({
    id: Op.handlesLocate,
    summary: 'return the web address of the object of a handle',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    unlisted: true,
    attributes: Joi.object({ view: text() }),
    resultSchema: whole({ view: { type: 'string' }, href: { type: ['string', 'null'] }, record: HANDLE_RECORD }),

    async handler(context) {

        const { attributes: { view }, services: { handles } } = context;
        return result.json({ ...await handles.resolver.locate(resolvingOf(context), view) });
    }
});
