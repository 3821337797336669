/** Describes the caller's legacy session (specification: GET `/sessions/this`). */

import Joi from 'joi';
import { flag, text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SESSION } from '../../doip/result-schemas.js';

export const getSession = defineOperation<{ readonly full: boolean; readonly session: string }>({
    id: Op.sessionsGet,
    summary: 'describe the legacy session of the caller',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: ({ attributes, services: { identity } }) => identity.sessions.checkName(attributes.session),
    attributes: Joi.object({ full: flag().default(false), session: text().default('this') }),
    unlisted: true,
    resultSchema: SESSION,

    async handler({ attributes, caller, services: { identity } }) {

        if (caller.method !== 'session') {
            return result.json({ isActiveSession: false, typesPermittedToCreate: [] });
        }

        const { typesPermittedToCreate, groupIds } = identity.records.detailsOf(caller);
        return result.json({
            isActiveSession: true, ...identity.records.identityOf(caller), typesPermittedToCreate, ...attributes.full ? { groupIds } : {}
        });
    }
});
