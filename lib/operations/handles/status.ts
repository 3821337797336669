/** Progress of the update of all handle records, or outcome of the last one (specification: GET `/updateHandles`). */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { HANDLE_UPDATE } from '../../doip/result-schemas.js';

export const handleUpdateStatus = defineOperation({
    id: Op.handlesStatus,
    summary: 'report the progress of the update of all handle records',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'admin',
    unlisted: true,
    resultSchema: HANDLE_UPDATE,

    async handler({ services: { handles } }) {

        return result.json({ ...await handles.update.status() });
    }
});
