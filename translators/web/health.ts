/** `/health/live` and `/health/ready`: for supervisors, load balancers and containers. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';

/** 200 while the process responds; 200 or 503 for whether it should be sent requests. Neither is logged at the level info. */
export const healthRoutes: readonly Route[] = (['live', 'ready'] as const).map((check) => ({
    methods: ['GET'],
    path: `/health/${check}`,
    toEnvelope: () => ({ operationId: Op.health, attributes: { check } })
}));
