/** `/users/this/password`: changes the password of the caller. The operation authorises. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { loginLimits } from '../http/request/request-limits.js';
import { textInput } from './mapping/json-input.js';

export const userRoutes: readonly Route[] = [
    {
        methods: ['PUT'],
        path: '/users/this/password',
        // The body is the password, even when it looks like JSON and its Content-Type says so.
        toEnvelope: (call) => ({
            operationId: Op.changePassword,
            input: textInput({ ...call, limits: loginLimits(call.limits) }, (password) => ({ password }))
        })
    }
];
