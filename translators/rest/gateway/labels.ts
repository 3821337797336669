/** `/labels`: labels of many objects at once. */

import type { Route } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { omitUndefined } from '../../http/request/params.js';
import { jsonInput } from '../mapping/json-input.js';

export const labelRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/labels',
        toEnvelope: ({ params }) => ({ operationId: Op.labels, attributes: omitUndefined({ ids: params.textList('ids') }) })
    },
    {
        methods: ['POST'],
        path: '/labels',
        toEnvelope: (call) => ({ operationId: Op.labels, attributes: omitUndefined({ ids: call.params.textList('ids') }), input: jsonInput(call) })
    }
];
