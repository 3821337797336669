/**
 * Ends the legacy session of the caller (specification: DELETE `/sessions/this`). Without one there is nothing to do.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const deleteSession = defineOperation({
    id: Op.sessionsDelete,
    summary: 'end the legacy session of the caller',
    target: 'service',
    authorise: ({ services: { identity } }) => identity.sessions.checkEnabled(),
    input: 'optional-json',
    unlisted: true,

    async handler({ caller, services: { identity } }) {

        await identity.sessions.end(caller);
        return result.json({ isActiveSession: false, typesPermittedToCreate: [] }, { cookies: identity.sessions.cookies });
    }
});
