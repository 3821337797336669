/** `/versions` and `/relationships`: how objects hang together (interface specification, "Versions"). */

import type { JsonObject } from '../../lib/doip/json.js';
import type { Params } from '../http/params.js';
import type { Route } from '../http/route.js';
import { badRequest } from '../../lib/doip/error.js';
import { isJsonObject } from '../../lib/doip/json.js';
import { jsonText, rememberText } from '../../lib/doip/known-text.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { mapJson } from '../http/reply.js';
import { given } from '../http/params.js';
import { asDigitalObject } from './project.js';
import { requireId } from './object-id.js';

export const versionRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/versions',
        toEnvelope: ({ params }) => ({ operationId: Op.versionsGet, targetId: objectId(params) })
    },
    {
        methods: ['POST'],
        path: '/versions',
        toEnvelope: ({ params }) => ({
            operationId: Op.versionsPublish,
            targetId: objectId(params),
            attributes: given({ versionId: params.text('versionId'), clonePayloads: clonesPayloads(params) })
        })
    },
    {
        methods: ['GET'],
        path: '/relationships/{name*}',
        toEnvelope: (call) => ({
            operationId: Op.relationshipsGet,
            targetId: requireId(call),
            attributes: { outboundOnly: call.params.flag('outboundOnly') },
            fromEnvelope: (response) => mapJson(response, restGraph)
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

/** Absent or `true` copies the payloads; bare, empty or anything else says that they are not to be copied. */
function clonesPayloads(params: Params): boolean {

    return params.text('clonePayloads') !== '' && params.flagOr('clonePayloads', true);
}

/** The graph with its objects in the form that this path has always had. */
function restGraph(graph: JsonObject): JsonObject {

    const results = isJsonObject(graph['results']) ? graph['results'] : {};
    const entries = Object.entries(results).map(([id, value]): [string, JsonObject] => {

        const { type, attributes: { content, metadata } } = asDigitalObject(value);
        return [id, given({ id, type, json: content, createdOn: metadata?.createdOn, createdBy: metadata?.createdBy })];
    });
    // The texts of long contents are known.
    const texts = entries.map(([id, entry]) => `${JSON.stringify(id)}:${entryText(entry)}`);
    const { results: _, ...rest } = graph;
    return rememberText({ ...rest, results: Object.fromEntries(entries) }, `${JSON.stringify(rest).slice(0, -1)},"results":{${texts.join()}}}`);
}

function entryText({ id, type, json, ...rest }: JsonObject): string {

    const end = JSON.stringify(rest).slice(1);
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"json":${jsonText(json ?? null)}${end === '}' ? '' : ','}${end}`;
}
