/** Starts the update of all handle records in the background (specification: POST `/updateHandles`). Does nothing while one runs. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';

export const updateHandles = defineOperation({
    id: Op.handlesUpdate,
    summary: 'update all handle records',
    target: 'service',
    authorise: 'admin',
    unlisted: true,
    resultSchema: constant({}),

    async handler({ services: { handles } }) {

        await handles.update.start();
        return result.json({});
    }
});
