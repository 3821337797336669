/** `/users/this/password`: changes the password of the caller. Authorisation is up to the operation. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { loginLimits } from '../http/request/request-limits.js';
import { textInput } from './mapping/json-input.js';

export const userRoutes: readonly Route[] = [
    {
        methods: ['PUT'],
        path: '/users/this/password',
        // The body is the password, even where it looks like JSON and says so in its Content-Type
        toEnvelope: (call) => ({
            operationId: Op.changePassword,
            input: textInput({ ...call, limits: loginLimits(call.limits) }, (password) => ({ password }))
        })
    }
];
