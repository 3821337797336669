/** `/versions`: publishes versions of an object, and lists them (interface specification, "Versions"). */

import type { Params } from '../http/request/params.js';
import type { Route } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { listText, RecordOutput } from '../../lib/doip/record-output.js';
import { preconditionsOf } from '../http/headers/entity-tag.js';
import { omitUndefined } from '../http/request/params.js';
import { outputReply } from '../http/response/reply.js';

export const versionRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/versions',
        toEnvelope: ({ params }) => ({
            operationId: Op.versionsGet,
            targetId: objectId(params),
            fromEnvelope: ({ output }) =>
                (output instanceof RecordOutput ? { headers: {}, body: { kind: 'texts', texts: listText(output) } } : outputReply())
        })
    },
    {
        methods: ['POST'],
        path: '/versions',
        toEnvelope: ({ params, request }) => ({
            operationId: Op.versionsPublish,
            targetId: objectId(params),
            attributes: omitUndefined({
                versionId: params.text('versionId'), clonePayloads: clonesPayloads(params), ifMatch: preconditionsOf(request.headers)['ifMatch']
            })
        })
    }
];

function objectId(params: Params): string {

    const id = params.text('objectId');
    if (id === undefined || id === '') {
        throw badRequest('Missing object id: the parameter objectId is required');
    }

    return id;
}

/** True when absent or `true`. A parameter without a value, or with any other value, turns copying off. */
function clonesPayloads(params: Params): boolean {

    return params.text('clonePayloads') !== '' && params.flag('clonePayloads', true);
}
