/** `gateway/Op.Keys.Revoke`: revokes an API key by its id, on all nodes. A key in the wrong hands is also revoked by its value: `Auth.Revoke`. */

import Joi from 'joi';
import { text, withoutDryRun } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const revokeKey = defineOperation<{ readonly keyId: string }>({
    id: Op.keysRevoke,
    summary: 'revoke an API key',
    target: 'service',
    authorise: 'caller',
    attributes: withoutDryRun(Joi.object<{ keyId: string }>({ keyId: text().required() })),
    resultSchema: constant({ success: true }),

    async handler({ attributes: { keyId }, caller, services: { identity } }) {

        const { id, userId } = await identity.keys.revoke(keyId, caller);
        return { ...result.json({ success: true }), audited: { key: id, subject: userId } };
    }
});
