/** `/call`: methods of types (interface specification, "POST /call"). The body is passed to the method unchanged, as is its output to the client. */

import type { JsonObject } from '../../lib/util/json-types.js';
import type { OperationCall, RouteCall, Route } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readEnvelopeParameters } from '../http/request/envelope-params.js';
import { callee } from './mapping/callee.js';
import { bytesInput } from './mapping/json-input.js';
import { omitUndefined, type Params } from '../http/request/params.js';

export const callRoutes: readonly Route[] = [
    { methods: ['GET'], path: '/call', toEnvelope: methodCall },
    { methods: ['POST'], path: '/call', toEnvelope: async (call) => ({ ...await methodCall(call), input: bytesInput(call) }) }
];

async function methodCall({ params }: RouteCall): Promise<OperationCall> {

    const { targetId, type } = callee(params);
    return {
        operationId: Op.call,
        targetId,
        attributes: omitUndefined({ type, method: params.text('method'), params: params.json('params'), ...await methodAttributes(params) })
    };
}

/** Attributes for the method, as one JSON object or dotted names. A `requestContext` among them is also that of the request. */
async function methodAttributes(params: Params): Promise<{ attributes?: JsonObject; requestContext?: JsonObject }> {

    const pairs = params.pairs().filter(([name]) => name === 'attributes' || name.startsWith('attributes.'));
    const { attributes } = await readEnvelopeParameters(pairs);
    const { requestContext } = attributes;
    if (requestContext === undefined) {
        return { attributes };
    }

    if (params.has('requestContext')) {
        throw badRequest('requestContext is given more than once: as a parameter and among the attributes');
    }

    if (!isJsonObject(requestContext)) {
        throw badRequest('Unable to parse requestContext: it must be a JSON object');
    }

    return { attributes, requestContext };
}
