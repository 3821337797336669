/**
 * Authorisation: applies the scope of an API key, then the rule that an operation declares. Permissions are checked before anything about
 * the target is revealed, even its existence.
 */

import type { StoredObject } from '../model/stored-object.js';
import type { Caller, Decision } from '../model/caller.js';
import type { Operation } from './operation.js';
import { Op } from '../doip/operation-ids.js';
import { declined, forbidden, missingObject, unavailable } from '../errors/errors.js';
import type { ScopedOperation } from '../model/api-key-scope.js';
import { admitsOperation } from '../model/api-key-scope.js';
import { demand, denied, isUnrestrictedAdmin } from '../model/caller.js';
import type { OperationContext } from './operation-context.js';
import type { OperationSummary } from './operation-summary.js';
import type { Target } from './request-target.js';

/** A request to authorise. */
export interface Authorised {
    readonly target: StoredObject | null;
    /** True for an operation that depends on the target, such as a method of its type. */
    readonly isDynamic: boolean;
    /** True for a request that another operation performs for its caller. */
    readonly isNested: boolean;
}

/** A context whose caller and target can be brought up to date. */
type Renewable = OperationContext & { refresh(): Promise<StoredObject | null> };

/** Number of times that a request is authorised again while the types change. */
const MAX_ATTEMPTS = 10;

/**
 * Checks the authorisation of a request. To be awaited; undefined if there is nothing to wait for.
 *
 * @throws DoipError 401 for anonymous callers, 403 for others, 404 for callers who may know that the target does not exist
 */
export function authorise(operation: Operation, context: OperationContext, { target, isDynamic, isNested }: Authorised): Promise<void> | undefined {

    demandScope(context.caller, { id: isDynamic ? Op.call : operation.id, isReading: isReading(operation), isNested });
    if (operation.target === 'object' && !target && !operation.targetMayBeGone) {
        throw missingTarget(context, { isWrite: operation.authorise === 'writer', words: operation.missing });
    }

    const { authorise: rule } = operation;
    if (typeof rule === 'function') {
        return rule(context) ?? undefined;
    }

    demand(context.caller, decide(rule, context));
    return undefined;
}

/**
 * Authorises a request whose input came slowly, or during which the types have changed: rights are those of the moment when the handler begins, and of
 * the code that runs. Throws 503 when the types change all the time.
 */
export async function authoriseAgain(operation: Operation, context: Renewable, kind: Omit<Authorised, 'target'>): Promise<void> {

    const { catalog } = context.services;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
        const target = await context.refresh();
        const rules = catalog.current;
        await authorise(operation, context, { target, ...kind });
        if (catalog.current === rules) {
            return;
        }
    }

    throw unavailable('the types change all the time: try again', 1);
}

/** Throws unless the API key of the caller, if there is one, permits an operation. @throws DoipError 403 */
function demandScope({ apiKey }: Caller, operation: ScopedOperation): void {

    if (apiKey && !admitsOperation(apiKey, operation)) {
        throw forbidden(apiKey.readOnly && !operation.isReading ? `the API key is read-only: it does not permit ${operation.id}` :
            `the API key does not permit ${operation.id}`, { reason: `API key ${apiKey.id}` });
    }
}

/**
 * Throws unless the API key of the caller, if there is one, permits calls of methods: to be called before a method is looked up, since an error
 * afterwards would reveal whether it exists.
 *
 * @throws DoipError 403
 */
export function demandCall(caller: Caller, isNested: boolean): void {

    // Whether a method only reads is not known yet, and each counts as reading until it runs.
    demandScope(caller, { id: Op.call, isReading: true, isNested });
}

/** True for operations that change nothing. */
export function isReading({ methods, readOnly }: Pick<OperationSummary, 'methods' | 'readOnly'>): boolean {

    return readOnly === true || methods?.includes('GET') === true;
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
            return { allowed: isUnrestrictedAdmin(caller), reason: 'admin only' };
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

/** Maximum length of an operation id, and of its target, in error messages. */
const MAX_SHOWN = 100;

/** Returns the error for an unknown operation. Reveals nothing about a target that the caller may not read, methods included. */
export function unknownOperation(
    { caller, services, operationId }: Pick<OperationContext, 'caller' | 'services'> & { readonly operationId: string }, { id, object, isService, calledType }: Target
): Error {

    const { catalog, policy } = services;
    const targetId = calledType ?? id;
    const unknown = `Operation not supported: ${operationId.slice(0, MAX_SHOWN).toWellFormed()} is not known for ${targetId.slice(0, MAX_SHOWN).toWellFormed()}`;
    if (object) {
        const mayRead = policy.canRead(caller, object);
        return mayRead.allowed ? declined(unknown) : denied(caller, mayRead.reason);
    }

    // Only built-in types have no Schema object.
    const isBuiltIn = calledType !== null && catalog.current.get(calledType)?.schemaId === null;
    return isService || isBuiltIn ? declined(unknown) : missingTarget({ caller, targetId, services });
}
