/** `gateway/Op.Tokens.List`: the access tokens and legacy sessions of the caller, for the administrator those of any user. Never their values. */

import Joi from 'joi';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { USER_TOKENS } from '../../doip/result-schemas.js';
import { tokenId } from '../../identity/tokens/access-tokens.js';
import { tokenOwner } from '../../identity/tokens/token-owner.js';

export const listTokens = defineOperation<{ readonly userId?: string }>({
    id: Op.tokensList,
    summary: 'list access tokens and legacy sessions',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'caller',
    attributes: Joi.object({ userId: text().description('for the administrator: whose') }),
    resultSchema: USER_TOKENS,

    async handler({ attributes: { userId }, caller, services: { identity } }) {

        const tokens = await identity.accessTokens.ofUser(tokenOwner(userId, caller));
        const own = identity.authenticator.sessionOf(caller);
        const current = own === null ? null : tokenId(own);
        return result.json({ tokens: tokens.map((token) => ({ ...token, current: token.id === current })) });
    }
});
