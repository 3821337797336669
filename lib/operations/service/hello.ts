/**
 * `0.DOIP/Op.Hello`: says who answers. Clients use it to test a login and to keep a token alive.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const hello = defineOperation({
    id: Op.hello,
    summary: 'describe the service',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',

    async handler({ services }) {

        const { address, port, protocol } = services.endpoint();
        return result.json({
            id: services.serviceId,
            type: '0.TYPE/DOIPServiceInfo',
            attributes: { ipAddress: address, port, protocol, protocolVersion: '2.0' }
        });
    }
});
