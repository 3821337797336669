/** `/users/this/password` and `/adminPassword`: changing passwords. Who may is for the operations to say. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { loginLimits } from '../http/request/request-limits.js';
import { jsonInput, textInput } from './mapping/json-input.js';

export const userRoutes: readonly Route[] = [
    {
        methods: ['PUT'],
        path: '/users/this/password',
        // The body is the password, even where it looks like JSON and says so in its Content-Type
        toEnvelope: (call) => ({
            operationId: Op.changePassword,
            input: textInput({ ...call, limits: loginLimits(call.limits) }, (password) => ({ password }))
        })
    },
    {
        methods: ['PUT'],
        path: '/adminPassword',
        toEnvelope: (call) => ({ operationId: Op.changeAdminPassword, input: jsonInput({ ...call, limits: loginLimits(call.limits) }) })
    }
];
