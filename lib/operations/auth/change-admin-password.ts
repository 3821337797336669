/** Sets the administrator's password (specification: PUT `/adminPassword`). An access token of the administrator suffices. */

import { defineOperation, result } from '../../core/operation.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const changeAdminPassword = defineOperation({
    id: Op.changeAdminPassword,
    summary: 'set the password of the administrator',
    target: 'service',
    authorise: 'admin',
    input: 'json',
    inputMembers: ['password'],
    unlisted: true,
    resultSchema: constant({ success: true }),

    async handler({ inputJson, services: { identity } }) {

        const password = isJsonObject(inputJson) ? inputJson.password : undefined;
        if (typeof password !== 'string') {
            throw badRequest('Password missing.');
        }

        await identity.admin.changePassword(password);
        return result.json({ success: true });
    }
});
