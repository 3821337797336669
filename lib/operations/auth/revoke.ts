/** `20.DOIP/Op.Auth.Revoke`: revokes an access token on all nodes (specification: POST `/auth/revoke`). Possession of the token suffices. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const revoke = defineOperation({
    id: Op.authRevoke,
    aliases: ['Auth.Revoke'],
    summary: 'revoke an access token',
    target: 'service',
    authorise: 'anyone',
    input: 'optional-json',
    inputMembers: ['token'],
    resultSchema: constant({ active: false }),

    async handler({ inputJson, services: { identity }, transport }) {

        const revoked = await identity.tokens.revoke(inputJson, transport);
        const answer = result.json({ active: false });
        if (!revoked) {
            return { ...answer, unaudited: true };
        }

        const { key } = revoked;
        return { ...answer, audited: key ? { key: key.id, subject: key.userId } : {} };
    }
});
