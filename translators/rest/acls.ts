/** `/acls`: the access control list of an object (interface specification, "ACL"). */

import type { Segment } from '../../lib/doip/envelope.js';
import type { Route, RouteCall } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { preconditionsOf } from '../http/headers/entity-tag.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonInput, prefixed, requireId } from './mapping/json-input.js';

export const aclRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/acls/{name*}',
        toEnvelope: (call) => ({ operationId: Op.aclsGet, targetId: requireId(call) })
    },
    {
        methods: ['PUT', 'POST'],
        path: '/acls/{name*}',
        toEnvelope: (call) => ({
            operationId: Op.aclsUpdate, targetId: requireId(call), input: aclInput(call), attributes: preconditionsOf(call.request.headers)
        })
    }
];

async function *aclInput(call: RouteCall): AsyncGenerator<Segment> {

    let isEmpty = true;
    try {
        for await (const segment of jsonInput(call)) {
            isEmpty = false;
            yield segment;
        }
    }
    catch (error) {
        throw prefixed('Invalid ACL format', error);
    }

    if (isEmpty) {
        throw badRequest('Invalid ACL format: the body is empty');
    }
}
