/** `/uploadObjects`: a whole repository in one request (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { bytesInput, hasLines } from './mapping/json-input.js';

export const uploadObjectsRoutes: readonly Route[] = [
    {
        methods: ['POST', 'PUT'],
        path: '/uploadObjects',
        toEnvelope: (call) => ({
            operationId: Op.uploadObjects,
            attributes: { deleteCurrentObjects: call.params.flag('deleteCurrentObjects') },
            input: bytesInput(call, hasLines(call) ? 'application/x-ndjson' : 'application/json')
        })
    }
];
