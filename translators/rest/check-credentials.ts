/** `/check-credentials`: the user that the credentials identify (interface specification, "Authentication"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';

export const checkCredentialsRoutes: readonly Route[] = [
    {
        methods: ['GET', 'POST'],
        path: '/check-credentials',
        toEnvelope: ({ params }) => ({ operationId: Op.checkCredentials, attributes: { full: params.flag('full') } })
    }
];
