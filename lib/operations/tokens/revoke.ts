/**
 * `gateway/Op.Tokens.Revoke`: revokes an access token or legacy session of the caller by its id, or all of them, on all nodes; for the administrator those of
 * any user.
 */

import Joi from 'joi';
import { flag, text, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';
import { badRequest, notFound } from '../../errors/errors.js';
import { tokenOwner } from '../../identity/tokens/token-owner.js';

interface RevokeAttributes {
    readonly userId?: string;
    readonly tokenId?: string;
    readonly all: boolean;
}

export const revokeTokens = defineOperation<RevokeAttributes>({
    id: Op.tokensRevoke,
    summary: 'revoke access tokens and legacy sessions',
    target: 'service',
    authorise: 'caller',
    attributes: withoutDryRun(Joi.object<RevokeAttributes>({
        userId: text().description('for the administrator: whose'),
        tokenId: text().description('id of the token'),
        all: flag().default(false).description('all tokens of the user, instead of one')
    })),
    resultSchema: constant({ success: true }),

    async handler({ attributes: { userId, tokenId, all }, caller, services: { identity: { accessTokens } } }) {

        const owner = tokenOwner(userId, caller);
        if (all === (tokenId !== undefined)) {
            throw badRequest('either tokenId names the token, or all is true');
        }

        if (tokenId === undefined) {
            await accessTokens.revokeAllOfUser(owner);
        }
        else if (!await accessTokens.revokeOfUser(owner, tokenId)) {
            throw notFound(`user ${owner} has no such token`);
        }

        return { ...result.json({ success: true }), audited: { subject: owner, ...tokenId === undefined ? {} : { token: tokenId } } };
    }
});
