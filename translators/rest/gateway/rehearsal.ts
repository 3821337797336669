/** `/rehearsal`: another definition of a type, tried on one of its objects. */

import type { Route } from '../../http/route.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { readJson } from '../../../lib/doip/segments.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { jsonReply } from '../../http/response/reply.js';
import { jsonInput } from '../mapping/json-input.js';
import { asDigitalObject, view } from '../mapping/rest-object.js';

export const rehearsalRoutes: readonly Route[] = [
    {
        methods: ['POST'],
        path: '/rehearsal',
        toEnvelope(call) {

            const targetId = call.params.text('objectId') ?? '';
            if (targetId === '') {
                throw badRequest('Missing object id: the parameter objectId is required');
            }

            return {
                operationId: Op.schemasRehearse, targetId, input: jsonInput(call),
                fromEnvelope: async ({ output }) => jsonReply(view(asDigitalObject(await readJson(output)), { full: true }))
            };
        }
    }
];
