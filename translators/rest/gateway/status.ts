/** `/status`: figures about the running service, for administrators. */

import type { Route } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';

export const statusRoutes: readonly Route[] = [{ methods: ['GET'], path: '/status', toEnvelope: () => ({ operationId: Op.status }) }];
