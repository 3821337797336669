/** `/openapi.json` and `/docs`: the description of the service for programs and for people. */

import type { DoipResponse } from '../../../lib/doip/envelope.js';
import { readJson } from '../../../lib/doip/segments.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { getOrAdd } from '../../../lib/util/cache/get-or-add.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { cachedText, jsonParts } from '../../http/response/json-texts.js';
import { longPageReply } from '../../http/response/page.js';
import type { Route } from '../../http/route.js';
import type { ServiceDescription } from './document.js';
import { openApiDocument } from './document.js';
import { descriptionPage } from './page.js';

/** Depth of the schemas of types in a document. */
const SCHEMA_DEPTH = 3;

/** Documents by the description of the service, which is the same object as long as nothing changes, and by base. */
const documents = new WeakMap<ServiceDescription, Map<string, JsonObject>>();

/** The text of a document in a form. */
async function textsOf(
    { output }: DoipResponse, { base, form, parts }: { base: string; form: string; parts: (document: JsonObject) => Iterable<string> }
): Promise<AsyncIterable<string>> {

    const description = await readJson(output) as unknown as ServiceDescription;
    const made = getOrAdd(documents, description, () => new Map<string, JsonObject>());
    const document = getOrAdd(made, base, () => openApiDocument(description, base));
    return cachedText(document, form, () => parts(document));
}

export const openApiRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/openapi.json',
        toEnvelope: ({ base, params }) => ({
            operationId: Op.describe,
            fromEnvelope: async (response) => {

                const indent = params.flag('pretty') ? 2 : 0;
                const texts = await textsOf(response, { base, form: `json ${indent}`, parts: (document) => jsonParts(document, { depth: SCHEMA_DEPTH, indent }) });
                return { headers: {}, body: { kind: 'texts', texts } };
            }
        })
    },
    {
        methods: ['GET'],
        path: '/docs',
        toEnvelope: ({ base }) => ({
            operationId: Op.describe,
            fromEnvelope: async (response) =>
                longPageReply(await textsOf(response, { base, form: 'page', parts: (document) => descriptionPage(document, base) }))
        })
    }
];
