/**
 * Creates a legacy session (specification: POST `/sessions/`). Values for the cookies are attributes of the response, once only: `session`
 * with `sessionId` and `csrfToken`, and `cookies` with the settings of the design.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SESSION } from '../../doip/result-schemas.js';

export const createSession = defineOperation({
    id: Op.sessionsCreate,
    summary: 'start a legacy session',
    target: 'service',
    authorise: ({ services: { identity } }) => identity.sessions.checkEnabled(),
    input: 'optional-json',
    unlisted: true,
    resultSchema: SESSION,

    async handler(context) {

        const { caller, services: { identity } } = context;
        const { sessionId, csrfToken } = await identity.sessions.create(caller, () => context.currentCaller(0));
        const record = { isActiveSession: true, ...identity.records.identityOf(caller), ...identity.records.detailsOf(caller) };
        return result.json(record, { session: { sessionId, csrfToken }, cookies: identity.sessions.cookies });
    }
});
