/** `0.DOIP/Op.ListOperations`: ids of the operations that the caller may perform on the target. */

import type { OperationSummary } from '../../core/operation-summary.js';
import { demand, missingTarget } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import type { OperationContext } from '../../core/operation-context.js';

export const listOperations = defineOperation({
    id: Op.listOperations,
    summary: 'list the operations on the target',
    target: 'any',
    methods: ['GET', 'POST'],
    authorise: 'in-handler',

    async handler(context) {

        const { caller, targetId, services: { registry, serviceId } } = context;
        const onService = targetId === serviceId;
        if (!onService) {
            demandReader(context);
        }

        const fixed = registry.all().filter((operation) => !operation.unlisted && fits(operation, onService) && mayTry(operation, context));
        return result.json([...fixed.map(({ id }) => id), ...await registry.listDynamic(targetId, caller)]);
    }
});

function demandReader(context: OperationContext): void {

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
function mayTry({ authorise }: OperationSummary, context: OperationContext): boolean {

    const { caller, services: { policy } } = context;
    switch (authorise) {
        case 'admin':
            return caller.isAdmin;
        case 'caller':
            return caller.userId !== null;
        case 'writer':
            return context.hasTarget && policy.canWrite(caller, context.target).allowed;
        default:
            return true;
    }
}
