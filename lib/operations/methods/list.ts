/** Lists the methods of an object, of a type or of the service (specification: GET `/listMethods`). */

import Joi from 'joi';
import { flag, text } from '../../core/attributes.js';
import { demand, missingTarget } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { Op } from '../../doip/operation-ids.js';
import { IDS } from '../../doip/result-schemas.js';
import { objectAttributes } from '../../objects/read/object-presenter.js';
import type { OperationContext } from '../../core/operation-context.js';

interface ListAttributes {
    readonly type?: string;
    readonly static: boolean;
    readonly includeCrud: boolean;
}

export const listMethods = defineOperation<ListAttributes>({
    id: Op.listMethods,
    summary: 'list the methods of an object, a type or the service',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    unlisted: true,
    attributes: Joi.object<ListAttributes>({ type: text(), static: flag().default(false), includeCrud: flag().default(false) }),
    resultSchema: IDS,

    async handler(context) {

        const names = await namesFor(context);
        const facts = context.hasTarget ? objectAttributes(context, context.target) : {};
        return result.json([...crudOf(context), ...names], facts);
    }
});

async function namesFor(context: OperationContext<ListAttributes>): Promise<string[]> {

    const { attributes: { type, static: isStatic }, targetId, services: { catalog, scripts, serviceId } } = context;
    const { methods } = scripts;
    const group = isStatic ? 'staticMethods' : 'methods';
    if (targetId !== serviceId) {
        const { target } = readable(context);
        return isStatic && target.id !== DESIGN_ID ?
            methods.namesOf(target.type, group) : (await methods.onObject(target)).map(({ name }) => name);
    }

    if (type === undefined) {
        return (await methods.onService()).map(({ name }) => name);
    }

    if (!catalog.current.get(type)) {
        throw notFound(`Unknown type ${type}`);
    }

    return methods.namesOf(type, group);
}

/** Basic operations of every object that the caller may perform. */
function crudOf(context: OperationContext<ListAttributes>): string[] {

    const { attributes: { includeCrud }, caller, hasTarget, services: { policy } } = context;
    if (!includeCrud || !hasTarget) {
        return [];
    }

    return policy.canWrite(caller, context.target).allowed ? [Op.retrieve, Op.update, Op.delete] : [Op.retrieve];
}

function readable(context: OperationContext<ListAttributes>): OperationContext<ListAttributes> {

    const { caller, services: { policy } } = context;
    if (!context.hasTarget) {
        throw missingTarget(context);
    }

    demand(caller, policy.canRead(caller, context.target));
    return context;
}
