/** `/users/this/password`: changes the password of the caller; `/usage`: what users and types have stored. The operations authorise. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { loginLimits } from '../http/request/request-limits.js';
import { omitUndefined } from '../http/request/params.js';
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
    },
    {
        methods: ['GET'],
        path: '/usage',
        toEnvelope: ({ params }) => ({ operationId: Op.usage, attributes: omitUndefined({ user: params.text('user'), type: params.text('type') }) })
    }
];
