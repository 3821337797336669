/** `/updateHandles`: registers all handles again, and reports progress (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonReply } from '../http/response/reply.js';

export const updateHandlesRoutes: readonly Route[] = [
    {
        methods: ['POST'],
        path: '/updateHandles',
        toEnvelope: () => ({ operationId: Op.handlesUpdate, fromEnvelope: () => jsonReply({}) })
    },
    {
        methods: ['GET'],
        path: '/updateHandles',
        toEnvelope: () => ({ operationId: Op.handlesStatus })
    }
];
