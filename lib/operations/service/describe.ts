/** Everything that the OpenAPI document tells: all operations that are listed, and the schemas of all types. Public, as both are. */

import { defineOperation, result } from '../../core/operation.js';
import { describeOperation } from '../../core/operation-description.js';
import { Op } from '../../doip/operation-ids.js';

export const describe = defineOperation({
    id: Op.describe,
    summary: 'describe all operations, and the schemas of all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,

    handler({ services: { catalog, registry, serviceId } }) {

        const operations = registry.all().filter(({ unlisted }) => !unlisted).map(describeOperation);
        return Promise.resolve(result.json({ id: serviceId, operations, types: catalog.current.schemas() }));
    }
});
