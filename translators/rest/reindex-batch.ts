/** `/reindexBatch`: indexes objects again (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonInputUnlessNull } from './mapping/json-input.js';
import { omitUndefined } from '../http/request/params.js';

export const reindexBatchRoutes: readonly Route[] = [
    {
        methods: ['POST'],
        path: '/reindexBatch',
        toEnvelope: (call) => ({
            operationId: Op.reindexBatch,
            attributes: omitUndefined({
                lockObjects: call.params.flag('lockObjects', true),
                query: call.params.text('query'),
                all: call.params.flag('all')
            }),
            input: jsonInputUnlessNull(call)
        })
    }
];
