/**
 * From the rule that an operation declares to a yes, a 401 or a 403. Permissions are checked before anything is said about
 * the target, its existence included.
 */

import type { StoredObject } from '../model/stored-object.js';
import type { Caller, Decision } from '../model/caller.js';
import type { Operation } from './operation.js';
import { missingObject } from '../errors/errors.js';
import { denied } from '../model/caller.js';
import type { OperationContext } from './operation-context.js';

/**
 * Lets the request pass or throws: 401 to anonymous callers, 403 to others, 404 to those who may know that the target does
 * not exist.
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

/** Lets an allowed caller pass and refuses any other: 401 to anonymous ones, 403 to the rest. */
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

/** What is said of a target that does not exist: to callers who might not have changed it that they may not. */
export function missingTarget(
    context: Pick<OperationContext, 'caller' | 'targetId' | 'services'>, { isWrite = false, words }: { isWrite?: boolean; words?: string | undefined } = {}
): Error {

    const { caller, targetId, services: { policy } } = context;
    const mayKnow = isWrite ? policy.canWriteUnknown(caller) : policy.canReadUnknown(caller);
    return mayKnow.allowed ? missingObject(targetId, words) : denied(caller, mayKnow.reason);
}
