/**
 * `20.DOIP/Op.Auth.Token`: issues an access token for a password or a signed assertion (specification: POST `/auth/token`). Credentials
 * outside the input are ignored. A token that the new one replaces is revoked once the login has succeeded.
 */

import Joi from 'joi';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { TOKEN } from '../../doip/result-schemas.js';
import { isJsonObject } from '../../util/json-types.js';

export const token = defineOperation<{ readonly full: boolean }>({
    id: Op.authToken,
    aliases: ['Auth.Token'],
    summary: 'create an access token',
    target: 'service',
    authorise: 'anyone',
    attributes: Joi.object({ full: flag().default(false) }),
    input: 'optional-json',
    inputMembers: ['grant_type', 'username', 'password', 'assertion', 'code', 'code_verifier', 'replaces'],
    resultSchema: TOKEN,

    async handler({ attributes, inputJson, requestContext, services: { identity }, transport }) {

        const grant = await identity.tokens.grant(inputJson, transport, requestContext);
        if (isJsonObject(inputJson) && typeof inputJson['replaces'] === 'string' && inputJson['replaces'] !== '') {
            await identity.tokens.revoke({ token: inputJson['replaces'] }, transport);
        }

        const record = identity.records.of(grant.caller, attributes.full);
        return { ...result.json({ access_token: grant.token, token_type: 'Bearer', ...record }), callerId: grant.caller.userId };
    }
});
