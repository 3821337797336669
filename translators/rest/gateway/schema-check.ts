/** `/schemaCheck`: which objects of a type would not fit another schema. */

import type { Route } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { omitUndefined } from '../../http/request/params.js';
import { jsonInput } from '../mapping/json-input.js';

export const schemaCheckRoutes: readonly Route[] = [
    {
        methods: ['POST'],
        path: '/schemaCheck',
        toEnvelope: (call) => ({
            operationId: Op.schemasCheck,
            attributes: omitUndefined({ type: call.params.text('type'), after: call.params.text('after'), pageSize: call.params.integer('pageSize') }),
            input: jsonInput(call)
        })
    }
];
