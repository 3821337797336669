/**
 * Authorisation: applies the rule that an operation declares. Permissions are checked before anything about the target is
 * revealed, even its existence.
 */

import type { StoredObject } from '../model/stored-object.js';
import type { Caller, Decision } from '../model/caller.js';
import type { Operation } from './operation.js';
import { missingObject } from '../errors/errors.js';
import { denied } from '../model/caller.js';
import type { OperationContext } from './operation-context.js';

/**
 * Checks the authorisation of a request.
 *
 * @throws DoipError 401 for anonymous callers, 403 for others, 404 for callers who may know that the target does not exist
 */
export async function authorise(operation: Operation, context: OperationContext, target: StoredObject | null): Promise<void> {

    if (operation.target === 'object' && !target && !operation.targetMayBeGone) {
        throw missingTarget(context, { isWrite: operation.authorise === 'writer', words: operation.missing });
    }

    const { authorise: rule } = operation;
    if (typeof rule === 'function') {
        await rule(context);
        return;
    }

    demand(context.caller, decide(rule, context));
}

/** Throws unless access is allowed. @throws DoipError 401 for anonymous callers, 403 for others */
export function demand(caller: Caller, decision: Decision): void {

    if (!decision.allowed) {
        throw denied(caller, decision.reason);
    }
}

function decide(rule: Exclude<Operation['authorise'], (...args: never[]) => unknown>, context: OperationContext): Decision {

    const { caller, services: { policy } } = context;
    switch (rule) {
        case 'anyone':
        case 'in-handler':
            return { allowed: true, reason: rule };
        case 'caller':
            return { allowed: caller.userId !== null, reason: 'needs a login' };
        case 'admin':
            return { allowed: caller.isAdmin, reason: 'admin only' };
        case 'reader':
            return policy.canRead(caller, context.target);
        case 'writer':
            return policy.canWrite(caller, context.target);
    }
}

/** Returns the error for a missing target: 404, or 401 or 403 for callers who may not know that it does not exist. */
export function missingTarget(
    context: Pick<OperationContext, 'caller' | 'targetId' | 'services'>, { isWrite = false, words }: { isWrite?: boolean; words?: string | undefined } = {}
): Error {

    const { caller, targetId, services: { policy } } = context;
    const mayKnow = isWrite ? policy.canWriteUnknown(caller) : policy.canReadUnknown(caller);
    return mayKnow.allowed ? missingObject(targetId, words) : denied(caller, mayKnow.reason);
}
