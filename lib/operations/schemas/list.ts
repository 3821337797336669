/**
 * All types with their schemas (specification: GET `/schemas`). Public.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { TYPE_SCHEMAS } from '../../doip/result-schemas.js';
import { withText } from '../../json/raw-json.js';

export const listSchemas = defineOperation({
    id: Op.schemasList,
    summary: 'read the schemas of all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    resultSchema: TYPE_SCHEMAS,

    async handler({ services: { catalog } }) {

        return result.json(withText(catalog.current.schemas()));
    }
});
