/**
 * `20.DOIP/Op.ChangePassword`: changes the caller's own password, including that of admin (specification: PUT `/users/this/password`). The
 * input is `{"password": …}` or the password as a JSON string.
 */

import type { JsonValue } from '../../util/json-types.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const changePassword = defineOperation({
    id: Op.changePassword,
    summary: 'change the password of the caller',
    target: 'service',
    authorise: 'caller',
    input: 'json',
    inputMembers: ['password'],
    resultSchema: constant({ success: true }),

    async handler({ caller, inputJson, requestContext, services: { passwordChanges } }) {

        await passwordChanges.change(readPassword(inputJson), { caller, requestContext });
        return result.json({ success: true });
    }
});

function readPassword(input: JsonValue | undefined): string {

    const password = isJsonObject(input) ? input.password : input;
    if (typeof password !== 'string') {
        throw badRequest('Password missing.');
    }

    return password;
}
