/** `/design` and `/initData`: the configuration that clients see (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { jsonReply } from '../http/response/reply.js';

export const designRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/design',
        toEnvelope: () => ({
            operationId: Op.getDesign,
            fromEnvelope: async ({ output }) => jsonReply(await readJson(output), { pretty: true })
        })
    },
    {
        methods: ['GET'],
        path: '/initData',
        toEnvelope: () => ({ operationId: Op.getInitData })
    }
];
