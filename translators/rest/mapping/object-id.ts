/** Object ids in paths. */

import type { RouteCall } from '../../http/route.js';
import { badRequest } from '../../../lib/errors/errors.js';

/** The object id in the path. 400 when there is none; `hint` is what else the caller may have meant. */
export function requireId({ name, request }: RouteCall, hint = ''): string {

    if (name === '') {
        throw badRequest(`Missing object id in ${request.method.toUpperCase()}: it follows in the path${hint}`);
    }

    return name;
}
