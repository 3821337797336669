/**
 * Tells about the legacy session of the caller (specification: GET `/sessions/this`).
 */

import Joi from 'joi';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const getSession = defineOperation<{ readonly full: boolean }>({
    id: Op.sessionsGet,
    summary: 'tell about the legacy session of the caller',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: ({ services: { identity } }) => identity.sessions.checkEnabled(),
    attributes: Joi.object({ full: flag().default(false) }),
    unlisted: true,

    async handler({ attributes, caller, services: { identity } }) {

        if (caller.method !== 'session') {
            return result.json({ isActiveSession: false });
        }

        const details = attributes.full ? identity.records.detailsOf(caller) : {};
        return result.json({ isActiveSession: true, ...identity.records.identityOf(caller), ...details });
    }
});
