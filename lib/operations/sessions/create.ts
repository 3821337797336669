/**
 * Begins a legacy session (specification: POST `/sessions/`). What the cookies carry comes as attributes of the answer, once:
 * `session` with `sessionId` and `csrfToken`, and `cookies` as the design wants them.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const createSession = defineOperation({
    id: Op.sessionsCreate,
    summary: 'begin a legacy session',
    target: 'service',
    authorise: ({ services: { identity } }) => identity.sessions.checkEnabled(),
    input: 'optional-json',
    unlisted: true,

    async handler({ caller, services: { identity } }) {

        const { sessionId, csrfToken } = await identity.sessions.create(caller);
        const record = { isActiveSession: true, ...identity.records.identityOf(caller), ...identity.records.detailsOf(caller) };
        return result.json(record, { session: { sessionId, csrfToken }, cookies: identity.sessions.cookies });
    }
});
