/**
 * Handle resolution with the paths of the public handle proxy: `/api/handles/<handle>` returns the record, `/hdl/<handle>` redirects to the
 * object (interface specification, "GET `{handle_proxy_url}/<id>?locatt=<view>`"). `auth` and `cert` are accepted and have no effect: every
 * response is authoritative.
 */

import type { DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Params } from '../http/request/params.js';
import type { Reply } from '../http/response/reply.js';
import type { OperationCall, RouteCall, Route } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { omitUndefined } from '../http/request/params.js';
import { jsonReply, redirectReply } from '../http/response/reply.js';
import { handlePage } from './mapping/handle-page.js';
import { objectPath } from './mapping/rest-object.js';

export const handleRoutes: readonly Route[] = [
    { methods: ['GET'], path: '/api/handles/{name*}', toEnvelope: resolve },
    { methods: ['GET'], path: '/hdl/{name*}', toEnvelope: follow }
];

function resolve(call: RouteCall): OperationCall {

    const { params } = call;
    const pretty = params.flag('pretty');
    return {
        operationId: Op.handlesResolve,
        targetId: requireHandle(call),
        attributes: { index: params.texts('index'), type: params.texts('type') },
        fromEnvelope: async ({ output }) => jsonReply(await readJson(output), { pretty })
    };
}

function follow(call: RouteCall): OperationCall {

    return {
        operationId: Op.handlesLocate,
        targetId: requireHandle(call),
        attributes: omitUndefined({ view: viewOf(call.params) }),
        fromEnvelope: (response) => show(response, call)
    };
}

/** The view of `locatt=view:…`; with `noredirect` it is the record. */
function viewOf(params: Params): string | undefined {

    const [, view] = /^view:(.+)$/s.exec(params.text('locatt') ?? '') ?? [];
    return params.flag('noredirect') ? 'record' : view;
}

async function show({ output }: DoipResponse, { name, base }: RouteCall): Promise<Reply> {

    const { view, href, record } = await readJson(output) as JsonObject;
    if (typeof href === 'string') {
        return redirectReply(href);
    }

    const path = objectPath(base, name);
    return view === 'json' ? redirectReply(path) : handlePage(isJsonObject(record) ? record : {}, view === 'ui' ? path : null);
}

function requireHandle({ name }: RouteCall): string {

    if (name === '') {
        throw badRequest('Missing handle: it must follow in the path');
    }

    return name;
}
