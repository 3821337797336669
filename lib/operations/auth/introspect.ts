/**
 * `20.DOIP/Op.Auth.Introspect`: returns the owner of an access token (specification: POST `/auth/introspect`). The token in the input is
 * the only credential needed; an unknown token is inactive, not an error.
 */

import Joi from 'joi';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { CALLER } from '../../doip/result-schemas.js';

export const introspect = defineOperation<{ readonly full: boolean }>({
    id: Op.authIntrospect,
    aliases: ['Auth.Introspect'],
    summary: 'return the user of an access token',
    target: 'service',
    readOnly: true,
    authorise: 'anyone',
    attributes: Joi.object({ full: flag().default(false) }),
    input: 'optional-json',
    inputMembers: ['token'],
    resultSchema: CALLER,

    async handler({ attributes, inputJson, services: { identity }, transport }) {

        return result.json(identity.records.of(await identity.tokens.introspect(inputJson, transport), attributes.full));
    }
});
