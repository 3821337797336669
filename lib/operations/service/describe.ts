/** Everything that the OpenAPI document tells: all operations that are listed, and the schemas of all types. Public, as both are. */

import { defineOperation, result } from '../../core/operation.js';
import { describeOperation, OPERATION_DESCRIPTION } from '../../core/operation-description.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, TEXT, TYPE_SCHEMAS, whole } from '../../doip/result-schemas.js';
import { withText } from '../../json/raw-json.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { JsonObject } from '../../util/json-types.js';

/** The last description for each state of the types: the same object as long as nothing changes, so that translators can keep what they make of it. */
const described = new WeakMap<TypeRegistry, JsonObject & { readonly operations: readonly JsonObject[] }>();

export const describe = defineOperation({
    id: Op.describe,
    summary: 'describe all operations, and the schemas of all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    resultSchema: whole({ id: TEXT, operations: arrayOf(OPERATION_DESCRIPTION), types: TYPE_SCHEMAS }),

    handler({ services: { catalog, registry, serviceId } }) {

        const types = catalog.current;
        const operations = registry.all().filter(({ unlisted }) => !unlisted).map(describeOperation);
        const former = described.get(types);
        if (former?.operations.length === operations.length && operations.every((each, index) => each === former.operations[index])) {
            return Promise.resolve(result.json(former));
        }

        const description = { id: serviceId, operations, types: types.schemas() };
        described.set(types, description);
        return Promise.resolve(result.json(withText(description)));
    }
});
