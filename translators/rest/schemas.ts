/** `/schemas`: types by name, and their JSON schemas (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { preconditionsOf } from '../http/headers/entity-tag.js';
import { badRequest } from '../../lib/errors/errors.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { jsonInput } from './mapping/json-input.js';

export const schemaRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/schemas/{name*}',
        toEnvelope: ({ name }) => (name === ''
            ? { operationId: Op.schemasList }
            : { operationId: Op.schemasGet, attributes: { type: name } })
    },
    {
        methods: ['PUT'],
        path: '/schemas/{name*}',
        toEnvelope: (call) => ({
            operationId: Op.schemasUpdate, attributes: { type: named(call.name), ...preconditionsOf(call.request.headers) }, input: jsonInput(call)
        })
    },
    {
        methods: ['DELETE'],
        path: '/schemas/{name*}',
        toEnvelope: ({ name, request }) => ({
            operationId: Op.schemasDelete, attributes: { type: named(name), ...preconditionsOf(request.headers) }
        })
    },
    {
        methods: ['GET'],
        path: '/schemaTemplates',
        toEnvelope: () => ({ operationId: Op.schemaTemplates })
    }
];

function named(type: string): string {

    if (type === '') {
        throw badRequest('Missing object type: the path must be /schemas/<type>');
    }

    return type;
}
