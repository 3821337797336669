/** `/relationships`: the objects that reference an object, and those it references (interface specification, "Versions"). */

import { setImmediate } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { Route } from '../http/route.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { jsonText } from '../../lib/json/raw-json.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { omitUndefined } from '../http/request/params.js';
import { asDigitalObject } from './mapping/rest-object.js';
import { requireId } from './mapping/json-input.js';

export const relationshipRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/relationships/{name*}',
        toEnvelope: (call) => ({
            operationId: Op.relationshipsGet,
            targetId: requireId(call),
            attributes: { outboundOnly: call.params.flag('outboundOnly') },
            fromEnvelope: async ({ output }) => ({
                headers: {}, body: { kind: 'texts', texts: graphText(await readJson(output) as JsonObject) }
            })
        })
    }
];

/** Size of a chunk in characters, and number of edges serialized at a time. */
const CHUNK_LENGTH = 32_768;
const EDGES_PER_BATCH = 250;

/** The graph as JSON text, with objects in the compatible form of this path (`json` for content). Yields to the event loop after each chunk. */
async function *graphText(graph: JsonObject): AsyncGenerator<string> {

    let text = '';
    for (const part of graphParts(graph)) {
        text += part;
        if (text.length >= CHUNK_LENGTH) {
            yield text;
            text = '';
            await setImmediate();
        }
    }

    yield text;
}

function *graphParts({ nodes, edges, results, ...rest }: JsonObject): Generator<string> {

    yield `{"nodes":${JSON.stringify(nodes ?? [])},"edges":[`;
    const list = Array.isArray(edges) ? edges : [];
    for (let start = 0; start < list.length; start += EDGES_PER_BATCH) {
        yield `${start > 0 ? ',' : ''}${JSON.stringify(list.slice(start, start + EDGES_PER_BATCH)).slice(1, -1)}`;
    }

    const others = JSON.stringify(rest).slice(1, -1);
    yield `]${others === '' ? '' : ','}${others},"results":{`;
    let separator = '';
    for (const [id, value] of Object.entries(isJsonObject(results) ? results : {})) {
        yield `${separator}${JSON.stringify(id)}:${entryText(id, value)}`;
        separator = ',';
    }

    yield '}}';
}

/** Writes one object. `jsonText` uses the stored text of a long content. */
function entryText(id: string, value: JsonValue): string {

    const { type, attributes: { content, metadata } } = asDigitalObject(value);
    const end = JSON.stringify(omitUndefined({ createdOn: metadata?.createdOn, createdBy: metadata?.createdBy })).slice(1);
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"json":${jsonText(content)}${end === '}' ? '' : ','}${end}`;
}
