/**
 * What the dispatcher records in the audit log; see `lib/audit`.
 */

import type { DoipRequest } from '../doip/envelope.js';
import { SERVICE_ALIAS } from '../doip/ids.js';
import type { Caller } from '../model/caller.js';
import type { RequestOrigin } from '../model/request-origin.js';
import { declaredNames } from './attributes.js';
import { isReading } from './authorise.js';
import type { Operation, OperationResult } from './operation.js';
import type { OperationContext } from './operation-context.js';
import type { Services } from './services.js';

/** The request, as the audit log names it. */
export function originOf(request: DoipRequest, operationId = request.operationId): RequestOrigin {

    const { transport: { translator, protocol, remoteAddress, logId } } = request;
    return { operationId, address: remoteAddress, protocol: translator ?? protocol, requestId: logId ?? null, changes: 0 };
}

/** Records an operation that may change things, but has changed no object, as a login does; changes of objects are recorded with them. */
export async function recordOperation(operation: Operation, context: OperationContext, outcome: OperationResult): Promise<void> {

    const { callerId, changedBy, audited, unaudited } = outcome;
    const { caller, targetId, services: { auditTrail } } = context;
    const { origin } = caller;
    if (!auditTrail || !origin || origin.changes > 0 || unaudited || isReading(operation) && changedBy === undefined || isRehearsal(operation, context)) {
        return;
    }

    const actor = callerId === undefined ? caller : { ...caller, userId: callerId };
    const { authorise: rule } = operation;
    await auditTrail.performed({ caller: actor, origin, targetId, ...audited ? { more: audited } : {} }, changedBy ?? (typeof rule === 'string' ? rule : null));
}

/** Records work of an operation that fails, except where it is denied, which the dispatcher records: for work that matters also without a result. */
export async function recordingFailure<T>({ caller, targetId, services: { auditTrail } }: OperationContext, work: () => Promise<T>): Promise<T> {

    try {
        return await work();
    }
    catch (error) {
        if (caller.origin) {
            await auditTrail?.failed({ caller, origin: caller.origin, targetId }, error);
        }

        throw error;
    }
}

/** Records a request that was denied. */
export function recordDenial(services: Partial<Services>, request: DoipRequest, caller: Caller | null, error: unknown): void {

    const { auditTrail, serviceId } = services;
    const targetId = request.targetId === SERVICE_ALIAS ? serviceId ?? SERVICE_ALIAS : request.targetId;
    auditTrail?.denied({ caller, origin: caller?.origin ?? originOf(request), targetId }, error);
}

/** True for a dry run. An attribute that the operation does not declare means nothing, and hides nothing. */
function isRehearsal({ attributes: schema }: Operation, context: OperationContext): boolean {

    return schema !== undefined && declaredNames(schema).has('dryRun') && context.latest().attributes['dryRun'] === true;
}
