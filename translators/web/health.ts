/** `/health/live` and `/health/ready`: for supervisors, load balancers and containers. Neither is logged at the level info. */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';

export const healthRoutes: readonly Route[] = [
    {
        // 200 while the process responds
        methods: ['GET'],
        path: '/health/live',
        toEnvelope: () => ({ operationId: Op.health, attributes: { check: 'live' } })
    },
    {
        // 200 or 503 for whether it should be sent requests
        methods: ['GET'],
        path: '/health/ready',
        toEnvelope: ({ params }) => {

            const exclude = params.text('exclude');
            return { operationId: Op.health, attributes: { check: 'ready', ...exclude === undefined ? {} : { exclude: exclude.split(',') } } };
        }
    }
];
