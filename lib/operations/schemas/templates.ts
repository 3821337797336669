/** Templates for new types in a user interface: schemas and example code. Public. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { SCHEMA_TEMPLATES } from '../../doip/result-schemas.js';
import { EXAMPLE_JAVASCRIPT, schemaTemplates } from '../../types/schema-templates.js';

export const getSchemaTemplates = defineOperation({
    id: Op.schemaTemplates,
    summary: 'read templates for new types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    resultSchema: SCHEMA_TEMPLATES,

    async handler({ services: { catalog } }) {

        return result.json({ templates: schemaTemplates(catalog.current.extensionKeyword), exampleJavaScript: EXAMPLE_JAVASCRIPT });
    }
});
