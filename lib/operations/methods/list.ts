/** Lists the methods of an object, of a type or of the service (specification: GET `/listMethods`). */

import Joi from 'joi';
import { flag, text } from '../../core/attributes.js';
import { missingTarget } from '../../core/authorise.js';
import { demand } from '../../model/caller.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, IDS, METHOD } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';
import type { OperationContext } from '../../core/operation-context.js';
import type { FoundMethod, MethodSet } from '../../scripting/methods/methods.js';
import type { JsonObject } from '../../util/json-types.js';

interface ListAttributes {
    readonly type?: string;
    readonly static: boolean;
    readonly includeCrud: boolean;
    readonly describe: boolean;
}

/** A method, or an operation that counts as one. */
type Listed = Pick<FoundMethod, 'name'> & Partial<Pick<FoundMethod, 'allowGet' | 'description'>>;

export const listMethods = defineOperation<ListAttributes>({
    id: Op.listMethods,
    summary: 'list the methods of an object, a type or the service',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    unlisted: true,
    attributes: Joi.object<ListAttributes>({
        type: text(), static: flag().default(false), includeCrud: flag().default(false), describe: flag().default(false)
    }),
    resultSchema: { anyOf: [IDS, { ...arrayOf(METHOD), description: 'with describe' }] },

    async handler(context) {

        const found: readonly Listed[] = [...crudOf(context), ...(await methodsFor(context)).found];
        const facts = context.hasTarget ? objectAttributes(context, context.target) : {};
        return result.json(context.attributes.describe ? found.map(described) : found.map(({ name }) => name), facts);
    }
});

/** Code that cannot be loaded has no methods. */
async function methodsFor(context: OperationContext<ListAttributes>): Promise<MethodSet> {

    const { attributes: { type, static: isStatic }, targetId, services: { catalog, scripts, serviceId } } = context;
    const { methods } = scripts;
    const group = isStatic ? 'staticMethods' : 'methods';
    if (targetId !== serviceId) {
        const { target } = readable(context);
        return isStatic && target.id !== DESIGN_ID ?
            methods.ofType(target.type, group) : methods.onObject(target);
    }

    if (type === undefined) {
        return methods.onService();
    }

    if (!catalog.current.get(type)) {
        throw notFound(`Unknown type ${type}`);
    }

    return methods.ofType(type, group);
}

/** Basic operations of every object that the caller may perform. */
function crudOf(context: OperationContext<ListAttributes>): Listed[] {

    const { attributes: { includeCrud }, caller, hasTarget, services: { policy, registry } } = context;
    if (!includeCrud || !hasTarget) {
        return [];
    }

    const ids: readonly string[] = policy.canWrite(caller, context.target).allowed ? [Op.retrieve, Op.update, Op.delete] : [Op.retrieve];
    const operations = new Map(registry.all().map((operation) => [operation.id, operation]));
    return ids.map((id) => {

        const { summary = '', methods = [] } = operations.get(id) ?? {};
        return { name: id, allowGet: methods.includes('GET'), description: { summary } };
    });
}

function described({ name, allowGet = false, description }: Listed): JsonObject {

    return { name, allowGet, ...description };
}

function readable(context: OperationContext<ListAttributes>): OperationContext<ListAttributes> {

    const { caller, services: { policy } } = context;
    if (!context.hasTarget) {
        throw missingTarget(context);
    }

    demand(caller, policy.canRead(caller, context.target));
    return context;
}
