/**
 * Scope of an API key: the most that a caller with the key may do, whatever the rights of its user. It is applied where operations are
 * authorised, and by the access policy, which decides about the types of objects.
 */

import { Op } from '../doip/operation-ids.js';

/** The API key of a caller. */
export interface ApiKeyScope {
    /** Public id. */
    readonly id: string;
    readonly name: string;
    /** Ids of operations; null for all but those that a key must name. */
    readonly operations: ReadonlySet<string> | null;
    /** Names of types; null for all. */
    readonly types: ReadonlySet<string> | null;
    readonly readOnly: boolean;
    /** Epoch ms; null for a key that does not expire. */
    readonly expiresOn: number | null;
}

/** Operations that change or end credentials, or store or reveal them in bulk: a key permits them only if it names them. */
const NAMED_ONLY: ReadonlySet<string> = new Set([
    Op.keysCreate, Op.keysRevoke, Op.tokensRevoke, Op.changePassword, Op.changeAdminPassword, Op.exportObjects, Op.importObjects, Op.uploadObjects
]);

/** Operations about the service and the key itself, which every key permits. */
const ALWAYS: ReadonlySet<string> = new Set([Op.hello, Op.listOperations, Op.checkCredentials]);

/** An operation to perform, as far as scopes are concerned. */
export interface ScopedOperation {
    /** Its id; for methods of types that of the operation that calls methods. */
    readonly id: string;
    readonly isReading: boolean;
    /** True for a request that another operation, which the scope permits, performs for its caller. */
    readonly isNested?: boolean;
}

/** Returns whether a key permits an operation. */
export function admitsOperation(scope: Pick<ApiKeyScope, 'operations' | 'readOnly'>, { id, isReading, isNested = false }: ScopedOperation): boolean {

    const { operations, readOnly } = scope;
    if (readOnly && !isReading) {
        return false;
    }

    if (operations?.has(id)) {
        return true;
    }

    return !NAMED_ONLY.has(id) && (operations === null || isNested || ALWAYS.has(id));
}

/** Returns whether a key permits nothing that another one does not permit. */
export function isWithin(scope: Omit<ApiKeyScope, 'id' | 'name'>, other: Omit<ApiKeyScope, 'id' | 'name'>): boolean {

    return isSubset(scope.operations, other.operations) && isSubset(scope.types, other.types) && (scope.readOnly || !other.readOnly) &&
        (other.expiresOn === null || scope.expiresOn !== null && scope.expiresOn <= other.expiresOn) &&
        (other.operations !== null || ![...scope.operations ?? []].some((id) => NAMED_ONLY.has(id)));
}

/** Null stands for everything. */
function isSubset(some: ReadonlySet<string> | null, all: ReadonlySet<string> | null): boolean {

    return all === null || some !== null && [...some].every((entry) => all.has(entry));
}
