/** `/adminPassword`: changes the password of `admin` (interface specification, "Administrative"). The operation authorises. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { loginLimits } from '../http/request/request-limits.js';
import { jsonInput } from './mapping/json-input.js';

export const adminPasswordRoutes: readonly Route[] = [
    {
        methods: ['PUT'],
        path: '/adminPassword',
        toEnvelope: (call) => ({ operationId: Op.changeAdminPassword, input: jsonInput({ ...call, limits: loginLimits(call.limits) }) })
    }
];
