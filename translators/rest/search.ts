/** `/search`, and searches through `/objects` (interface specification, "Search"). */

import type { OperationCall, RouteCall, Route } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { isForm, readJsonBody } from '../http/request/body.js';
import { Params } from '../http/request/params.js';
import { restRecordText } from './mapping/record-writer.js';
import { holdsJson, isSearch, searchAttributes, searchView } from './mapping/search-request.js';
import { searchRecord } from './mapping/search-results.js';

/** A search; the parameters may come from the URL or from the body. */
export function search(params: Params): OperationCall {

    const view = searchView(params);
    const shape = searchRecord(view);
    return {
        operationId: Op.search,
        attributes: searchAttributes(params, view),
        fromEnvelope: ({ output }) => ({ headers: {}, body: { kind: 'texts', texts: restRecordText(output, shape) } })
    };
}

export const searchRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/search',
        toEnvelope: ({ params }) => search(params)
    },
    {
        methods: ['POST'],
        path: '/search',
        hasShortForm: true,
        toEnvelope: async (call) => search(isForm(call.request) ? formOf(call) : await withBody(call))
    }
];

function formOf({ params }: RouteCall): Params {

    if (!isSearch(params) && holdsJson(params)) {
        throw badRequest('Missing query: the body is JSON that is sent as a form, give it the Content-Type application/json');
    }

    return params;
}

/** Merges the parameters of the query string and the members of the JSON body. Throws 400 when one is in both. */
async function withBody({ params, request, unknownLimits }: RouteCall): Promise<Params> {

    const body = await readJsonBody(request, unknownLimits()) ?? {};
    if (!isJsonObject(body)) {
        throw badRequest('the body of a search must be a JSON object');
    }

    const members = Params.fromJson(body);
    const twice = Object.keys(body).find((name) => params.has(name) && members.has(name));
    if (twice !== undefined) {
        throw badRequest(`parameter ${twice.slice(0, 60).toWellFormed()} is given more than once: in the URL and in the body`);
    }

    return params.and(members);
}
