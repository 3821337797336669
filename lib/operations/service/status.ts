/** `gateway/Op.Status`: figures about the running service, for administrators. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SERVICE_STATUS } from '../../doip/result-schemas.js';

export const status = defineOperation({
    id: Op.status,
    summary: 'return figures about the running service: database, index, jobs, memory',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'admin',
    resultSchema: SERVICE_STATUS,

    async handler({ services }) {

        return result.json(await services.status.report());
    }
});
