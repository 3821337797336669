/** `0.DOIP/Op.Hello`: describes the service. Clients use it to test credentials and to keep a token alive. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SERVICE_INFO, serviceInfo } from '../../core/services.js';

export const hello = defineOperation({
    id: Op.hello,
    summary: 'describe the service',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    resultSchema: SERVICE_INFO,

    async handler({ services }) {

        return result.json(serviceInfo(services));
    }
});
