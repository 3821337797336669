/** `/labels`: labels of many objects at once. */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { Route, RouteCall } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { jsonSegment } from '../../../lib/doip/segments.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
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
        toEnvelope: (call) => ({ operationId: Op.labels, attributes: omitUndefined({ ids: call.params.textList('ids') }), input: idsOf(call) })
    }
];

/** The array in the body, which may be the member `ids` of an object. */
async function *idsOf(call: RouteCall): AsyncGenerator<Segment> {

    for await (const segment of jsonInput(call)) {
        const value = segment.kind === 'json' ? segment.value : null;
        yield isJsonObject(value) && value['ids'] !== undefined ? jsonSegment(value['ids']) : segment;
    }
}
