/** `/openapi.json` and `/docs`: the description of the service for programs and for people. */

import type { DoipResponse } from '../../../lib/doip/envelope.js';
import { readJson } from '../../../lib/doip/segments.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { jsonReply } from '../../http/response/reply.js';
import type { Route } from '../../http/route.js';
import type { ServiceDescription } from './document.js';
import { openApiDocument } from './document.js';
import { descriptionPage } from './page.js';

async function documentOf({ output }: DoipResponse, base: string): Promise<JsonObject> {

    return openApiDocument(await readJson(output) as unknown as ServiceDescription, base);
}

export const openApiRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/openapi.json',
        toEnvelope: ({ base, params }) => ({
            operationId: Op.describe,
            fromEnvelope: async (response) => jsonReply(await documentOf(response, base), { pretty: params.flag('pretty') })
        })
    },
    {
        methods: ['GET'],
        path: '/docs',
        toEnvelope: ({ base }) => ({
            operationId: Op.describe,
            fromEnvelope: async (response) => descriptionPage(await documentOf(response, base), base)
        })
    }
];
