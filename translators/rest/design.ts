/** `/design` and `/initData`: the configuration that clients see (interface specification, "Administrative"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { JsonInMemory, readJson } from '../../lib/doip/segments.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { outputReply } from '../http/response/reply.js';
import { cachedText, jsonParts, pacedText } from '../http/response/json-texts.js';

export const designRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/design',
        toEnvelope: () => ({
            operationId: Op.getDesign,
            fromEnvelope: async ({ output }) => {

                // The same object as long as neither the design nor a type changes
                const design = await readJson(output) as JsonObject;
                return { headers: {}, body: { kind: 'texts', texts: cachedText(design, 'pretty', () => jsonParts(design, { depth: 2, indent: 2 })) } };
            }
        })
    },
    {
        methods: ['GET'],
        path: '/initData',
        toEnvelope: () => ({
            operationId: Op.getInitData,
            // An operation of an embedding program may answer otherwise
            fromEnvelope: ({ output }) => (output instanceof JsonInMemory && output.value !== undefined ?
                { headers: {}, body: { kind: 'texts', texts: pacedText(jsonParts(output.value, { depth: 3, indent: 0 })) } } : outputReply())
        })
    }
];
