/**
 * `20.DOIP/Op.CheckCredentials`: returns the identity of the caller (specification: `/check-credentials`). Invalid credentials are rejected
 * before; without credentials the caller is anonymous.
 */

import Joi from 'joi';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { CALLER } from '../../doip/result-schemas.js';

export const checkCredentials = defineOperation<{ readonly full: boolean }>({
    id: Op.checkCredentials,
    summary: 'return the identity of the caller',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    attributes: Joi.object({ full: flag().default(false) }),
    input: 'optional-json',
    resultSchema: CALLER,

    async handler({ attributes, caller, services: { identity } }) {

        return result.json(identity.records.of(caller, attributes.full));
    }
});
