/** `0.DOIP/Op.ListOperations`: the operations that the caller may perform on the target: their ids, or with `describe` their descriptions. */

import Joi from 'joi';
import type { OperationSummary } from '../../core/operation-summary.js';
import { isReading, missingTarget } from '../../core/authorise.js';
import { flag } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { describeMethod, describeOperation, METHOD_DESCRIPTION, OPERATION_DESCRIPTION } from '../../core/operation-description.js';
import { Op } from '../../doip/operation-ids.js';
import { arrayOf, IDS } from '../../doip/result-schemas.js';
import { admitsOperation } from '../../model/api-key-scope.js';
import type { Caller } from '../../model/caller.js';
import { demand, isUnrestrictedAdmin } from '../../model/caller.js';
import type { OperationContext } from '../../core/operation-context.js';

interface ListAttributes {
    readonly describe: boolean;
}

export const listOperations = defineOperation<ListAttributes>({
    id: Op.listOperations,
    summary: 'list the operations on the target',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',
    attributes: Joi.object<ListAttributes>({
        describe: flag().default(false)
    }),
    resultSchema: { anyOf: [IDS, { ...arrayOf({ anyOf: [OPERATION_DESCRIPTION, METHOD_DESCRIPTION] }), description: 'with describe' }] },

    async handler(context) {

        const { attributes, caller, targetId, services: { registry, serviceId } } = context;
        const onService = targetId === serviceId;
        if (!onService) {
            demandReader(context);
        }

        const fixed = registry.all().filter((operation) => !operation.unlisted && fits(operation, onService) && mayTry(operation, context));
        const methods = admits(caller, Op.call, true) ? await registry.listDynamic(targetId, caller) : [];
        return result.json(attributes.describe ?
            [...fixed.map(describeOperation), ...methods.map((method) => describeMethod(method, onService ? 'service' : 'object'))] :
            [...fixed, ...methods].map(({ id }) => id));
    }
});

function demandReader(context: OperationContext<ListAttributes>): void {

    const { caller, services: { policy } } = context;
    if (!context.hasTarget) {
        throw missingTarget(context);
    }

    demand(caller, policy.canRead(caller, context.target));
}

function fits({ target }: OperationSummary, onService: boolean): boolean {

    return target === 'any' || (target === 'service') === onService;
}

/** False for operations whose rule rejects the caller; those that authorise in their handler are listed. */
function mayTry(operation: OperationSummary, context: OperationContext<ListAttributes>): boolean {

    const { authorise, id } = operation;
    const { caller, services: { policy } } = context;
    if (!admits(caller, id, isReading(operation))) {
        return false;
    }

    switch (authorise) {
        case 'admin':
            return isUnrestrictedAdmin(caller);
        case 'caller':
            return caller.userId !== null;
        case 'writer':
            return context.hasTarget && policy.canWrite(caller, context.target).allowed;
        default:
            return true;
    }
}

/** False for operations that the API key of the caller does not permit. */
function admits({ apiKey }: Caller, id: string, isReading: boolean): boolean {

    return !apiKey || admitsOperation(apiKey, { id, isReading });
}
