/**
 * `20.DOIP/Op.Auth.Revoke`: ends an access token, on every node (specification: POST `/auth/revoke`). Holding the token is
 * all that is needed.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const revoke = defineOperation({
    id: Op.authRevoke,
    aliases: ['Auth.Revoke'],
    summary: 'end an access token',
    target: 'service',
    authorise: 'anyone',
    input: 'optional-json',
    inputMembers: ['token'],

    async handler({ inputJson, services: { identity }, transport }) {

        await identity.tokens.revoke(inputJson, transport);
        return result.json({ active: false });
    }
});
