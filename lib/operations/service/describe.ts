/** Everything that the OpenAPI document tells: all operations that are listed, the schemas of all types and their methods. Public, as all are. */

import { defineOperation, result } from '../../core/operation.js';
import { describeOperation, OPERATION_DESCRIPTION } from '../../core/operation-description.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, METHOD_OF_TYPE, TEXT, TYPE_SCHEMAS, whole } from '../../doip/result-schemas.js';
import { withText } from '../../json/raw-json.js';
import type { SurveyedMethod } from '../../scripting/methods/method-survey.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { JsonObject } from '../../util/json-types.js';

/** A description, and what it was made from. */
interface Made {
    readonly operations: readonly JsonObject[];
    readonly methods: readonly SurveyedMethod[];
    readonly description: JsonObject;
}

/** The last description for each state of the types: the same object as long as nothing changes, so that translators can keep what they make of it. */
const made = new WeakMap<TypeRegistry, Made>();

export const describe = defineOperation({
    id: Op.describe,
    summary: 'describe all operations, and the schemas and methods of all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    unlisted: true,
    resultSchema: whole({ id: TEXT, operations: arrayOf(OPERATION_DESCRIPTION), types: TYPE_SCHEMAS, methods: arrayOf(METHOD_OF_TYPE) }),

    async handler({ services: { catalog, registry, scripts, serviceId } }) {

        const methods = await scripts.survey.current();
        const types = catalog.current;
        const operations = registry.all().filter(({ unlisted }) => !unlisted).map(describeOperation);
        const former = made.get(types);
        if (former?.methods === methods && former.operations.length === operations.length && operations.every((each, i) => each === former.operations[i])) {
            return result.json(former.description);
        }

        const free = methods.filter(({ name }) => !registry.has(name));
        const description = withText({ id: serviceId, operations, types: types.schemas(), methods: free.map(describeOne) });
        made.set(types, { operations, methods, description });
        return result.json(description);
    }
});

function describeOne({ description, ...method }: SurveyedMethod): JsonObject {

    return { ...method, ...description };
}
