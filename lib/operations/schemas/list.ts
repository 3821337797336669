/**
 * All types with their schemas (specification: GET `/schemas`). Public.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';

export const listSchemas = defineOperation({
    id: Op.schemasList,
    summary: 'read the schemas of all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,

    async handler({ services: { catalog } }) {

        return result.json(catalog.current.schemas());
    }
});
