/** The startup status, available even when the service is down (specification: GET `/startupStatus`). */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { STARTUP_STATUS } from '../../doip/result-schemas.js';
import { Status } from '../../errors/status.js';

export const startupStatus = defineOperation({
    id: Op.startupStatus,
    summary: 'report the status of the subsystems',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    availableWhenDown: true,
    unlisted: true,
    resultSchema: STARTUP_STATUS,

    async handler({ services: { startup } }) {

        const record = await startup.probedRecord();
        return record['state'] === 'FAILED' ?
            result.status(Status.internal, { message: 'start-up failed', ...record }) :
            result.json(record);
    }
});
