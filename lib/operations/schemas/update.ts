/**
 * Creates a type or replaces its schema (specification: PUT `/schemas/<type>`). Other members of the type, such as its JavaScript, are
 * kept. Requires the right to write the Schema object, or to create one for a new type.
 */

import Joi from 'joi';
import type { JsonObject } from '../../util/json-types.js';
import { demand } from '../../model/caller.js';
import { text, withoutDryRun } from '../../core/attributes.js';
import { tagged, withPreconditions } from '../../core/entity-tags.js';
import { demandNoVersion, demandPreconditions, entityTagOf, type Preconditions } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { Op } from '../../doip/operation-ids.js';
import { constant } from '../../doip/result-schemas.js';
import { checkTypeName } from '../../objects/input/field-validation.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';
import type { OperationContext } from '../../core/operation-context.js';
import type { StoredObject } from '../../model/stored-object.js';

interface SchemaAttributes extends Preconditions {
    readonly type: string;
}

export const updateSchema = defineOperation<SchemaAttributes>({
    id: Op.schemasUpdate,
    summary: 'create a type or replace its schema',
    target: 'service',
    authorise: 'in-handler',
    input: 'json',
    unlisted: true,
    attributes: withPreconditions(withoutDryRun(Joi.object<SchemaAttributes>({ type: text().required() }))),
    resultSchema: constant({ msg: 'success' }),

    async handler(context) {

        const { attributes, inputJson, services: { catalog, limits } } = context;
        const name = checkTypeName(attributes.type, limits);
        const definition = catalog.current.get(name);
        if (definition && definition.schemaId === null) {
            throw badRequest(`type ${name} is built in and cannot be changed`);
        }

        if (!isJsonObject(inputJson)) {
            throw badRequest('a schema must be a JSON object');
        }

        const stored = definition?.schemaId ? await replace(context, definition.schemaId, inputJson) : await add(context, name, inputJson);
        return tagged(result.json({ msg: 'success' }), entityTagOf(stored));
    }
});

async function replace(context: OperationContext<SchemaAttributes>, schemaId: string, schema: JsonObject): Promise<StoredObject> {

    const { attributes, caller, requestContext, services: { objects, policy } } = context;
    const input = { contentAtPointer: { value: schema }, elements: new Map(), elementsToDelete: [] };
    return await objects.update(schemaId, { input, jsonPointer: '/schema' }, {
        caller, requestContext,
        check: (object) => {

            demand(caller, policy.canWrite(caller, object));
            demandPreconditions(object, attributes, `type ${attributes.type}`);
        }
    });
}

async function add(context: OperationContext<SchemaAttributes>, name: string, schema: JsonObject): Promise<StoredObject> {

    const { attributes, caller, requestContext, services: { creation, policy } } = context;
    demand(caller, policy.canCreate(caller, SCHEMA_TYPE));
    demandNoVersion(`type ${name}`, attributes);
    const content = { identifier: '', name, schema };
    return await creation.create({ type: SCHEMA_TYPE, content, elements: new Map(), elementsToDelete: [] }, { caller, requestContext });
}
