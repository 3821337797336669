/**
 * Names of the methods of an object, of a type or of the service (specification: GET `/listMethods`).
 */

import Joi from 'joi';
import type { OperationContext } from '../../core/context.js';
import { flag, text } from '../../core/attributes.js';
import { demand, missingTarget } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../doip/error.js';
import { DESIGN_ID } from '../../doip/handle.js';
import { Op } from '../../doip/operation-ids.js';

interface ListAttributes {
    readonly type?: string;
    readonly static: boolean;
}

export const listMethods = defineOperation<ListAttributes>({
    id: Op.listMethods,
    summary: 'list the methods of an object, a type or the service',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    unlisted: true,
    attributes: Joi.object<ListAttributes>({ type: text(), static: flag().default(false) }),

    async handler(context) {

        return result.json(await namesFor(context));
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
        throw notFound(`type ${type} does not exist`);
    }

    return methods.namesOf(type, group);
}

function readable(context: OperationContext<ListAttributes>): OperationContext<ListAttributes> {

    const { caller, services: { policy } } = context;
    if (!context.hasTarget) {
        throw missingTarget(context);
    }

    demand(caller, policy.canRead(caller, context.target));
    return context;
}
