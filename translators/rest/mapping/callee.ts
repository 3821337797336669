/** Parameters of `/call` and `/listMethods` that select an object or a type. */

import type { Params } from '../../http/request/params.js';
import { badRequest } from '../../../lib/errors/errors.js';

/** The object for an instance method, the service for a method of a type. Throws 400 unless exactly one of `objectId` and `type` is given. */
export function callee(params: Params): { targetId: string; type: string | undefined } {

    const id = params.text('objectId');
    const type = params.text('type');
    if ((id === undefined) === (type === undefined)) {
        throw badRequest(id === undefined
            ? 'Missing object id or type: one of the parameters objectId and type is required'
            : 'parameters objectId and type cannot be given together');
    }

    return { targetId: id ?? 'service', type };
}
