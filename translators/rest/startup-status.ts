/** `/startupStatus`: the state of the service and its components (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';

export const startupStatusRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/startupStatus',
        toEnvelope: () => ({ operationId: Op.startupStatus })
    }
];
