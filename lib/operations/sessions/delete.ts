/** Ends the caller's legacy session (specification: DELETE `/sessions/this`); does nothing without one. */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SESSION } from '../../doip/result-schemas.js';

export const deleteSession = defineOperation<{ readonly session: string }>({
    id: Op.sessionsDelete,
    summary: 'end the legacy session of the caller',
    target: 'service',
    authorise: ({ attributes, services: { identity } }) => identity.sessions.checkName(attributes.session),
    attributes: Joi.object({ session: text().default('this') }),
    input: 'optional-json',
    unlisted: true,
    resultSchema: SESSION,

    async handler({ caller, services: { identity } }) {

        const hasEnded = await identity.sessions.end(caller);
        const answer = result.json({ isActiveSession: false, typesPermittedToCreate: [] }, { cookies: identity.sessions.cookies });
        return { ...answer, unaudited: !hasEnded };
    }
});
