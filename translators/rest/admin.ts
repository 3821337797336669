/** Administrative paths, and what the service tells about itself (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { jsonReply } from '../http/response/reply.js';
import { bytesInput, hasLines, jsonInputUnlessNull } from './mapping/json-input.js';
import { given } from '../http/request/params.js';

export const adminRoutes: readonly Route[] = [
    {
        methods: ['POST', 'PUT'],
        path: '/uploadObjects',
        toEnvelope: (call) => ({
            operationId: Op.uploadObjects,
            attributes: { deleteCurrentObjects: call.params.flag('deleteCurrentObjects') },
            input: bytesInput(call, hasLines(call) ? 'application/x-ndjson' : 'application/json')
        })
    },
    {
        methods: ['POST'],
        path: '/updateHandles',
        toEnvelope: () => ({ operationId: Op.handlesUpdate, fromEnvelope: () => jsonReply({}) })
    },
    {
        methods: ['GET'],
        path: '/updateHandles',
        toEnvelope: () => ({ operationId: Op.handlesStatus })
    },
    {
        methods: ['POST'],
        path: '/reindexBatch',
        toEnvelope: (call) => ({
            operationId: Op.reindexBatch,
            attributes: given({
                lockObjects: call.params.flagOr('lockObjects', true),
                query: call.params.text('query'),
                all: call.params.flag('all')
            }),
            input: jsonInputUnlessNull(call)
        })
    },
    {
        methods: ['GET'],
        path: '/startupStatus',
        toEnvelope: () => ({ operationId: Op.startupStatus })
    },
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
