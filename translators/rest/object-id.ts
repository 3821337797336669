/** Object ids in paths. */

import type { RouteCall } from '../http/route.js';
import { badRequest } from '../../lib/doip/error.js';

/** The object id in the path. 400 when there is none. */
export function requireId({ name, request }: RouteCall): string {

    if (name === '') {
        throw badRequest(`Missing object id in ${request.method.toUpperCase()}`);
    }

    return name;
}
