/** `/listMethods`: the names or descriptions of the methods of an object or a type (interface specification, "GET /listMethods"). */

import type { Route } from '../http/route.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { omitUndefined } from '../http/request/params.js';
import { callee } from './mapping/callee.js';

export const listMethodsRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: '/listMethods',
        toEnvelope({ params }) {

            const { targetId, type } = callee(params);
            const attributes = omitUndefined({
                type, static: params.flag('static'), includeCrud: params.flag('includeCrud') || undefined, describe: params.flag('describe') || undefined
            });
            return { operationId: Op.listMethods, targetId, attributes };
        }
    }
];
