/** `/rights`: who may use an object, and by which rule. */

import type { Route } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { omitUndefined } from '../../http/request/params.js';
import { requireId } from '../mapping/json-input.js';

export const rightsRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/rights/{name*}',
        toEnvelope: (call) => ({ operationId: Op.rightsExplain, targetId: requireId(call), attributes: omitUndefined({ user: call.params.text('user') }) })
    }
];
