/** `/acls`: the access control list of an object (interface specification, "ACL"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonInput } from './json-input.js';
import { requireId } from './object-id.js';

export const aclRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/acls/{name*}',
        toEnvelope: (call) => ({ operationId: Op.aclsGet, targetId: requireId(call) })
    },
    {
        methods: ['PUT', 'POST'],
        path: '/acls/{name*}',
        toEnvelope: (call) => ({ operationId: Op.aclsUpdate, targetId: requireId(call), input: jsonInput(call) })
    }
];
