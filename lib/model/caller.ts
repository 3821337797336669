/**
 * The authenticated caller, and the errors of denied access. Access decisions themselves are made by the access policy.
 */

import { Op } from '../doip/operation-ids.js';
import type { DoipError } from '../errors/errors.js';
import { forbidden, unauthenticated } from '../errors/errors.js';
import type { ApiKeyScope } from './api-key-scope.js';
import type { RequestOrigin } from './request-origin.js';

/** Author recorded in metadata for anonymous callers; not a principal. */
export const ANONYMOUS_AUTHOR = 'anonymous';

/** User name and user id of the administrator, who has no user object. */
export const ADMIN_ID = 'admin';

/** The principal on whose behalf an operation is performed. */
export interface Caller {
    /** Id of the user object, `admin`, or null when anonymous. */
    readonly userId: string | null;
    readonly username: string | null;
    /** Ids of all groups, direct and indirect. */
    readonly groupIds: readonly string[];
    readonly isAdmin: boolean;
    /** True if the keyword `authenticated` of an ACL applies to the caller. */
    readonly isAuthenticated: boolean;
    /** How the identity was proven. `password` and `key` are direct authentication. */
    readonly method: 'none' | 'password' | 'key' | 'token' | 'session' | 'api-key' | 'hook' | 'as-user' | 'internal';
    /** The API key that the caller has used, which restricts what they may do. */
    readonly apiKey?: ApiKeyScope;
    /** Id of the user who acts as this one, or whose request the service performs, and whose identity was proven. */
    readonly actorId?: string | null;
    /** Address of an anonymous caller in a request; empty for calls from the same process. */
    readonly address?: string;
    /** The request of the caller, where changes are audited. */
    readonly origin?: RequestOrigin;
    /** The caller object that requests share, of which this one is a copy for a single request. */
    readonly shared?: Caller;
}

/** Returns a caller object for a single request. */
export function inRequest(caller: Caller, origin: RequestOrigin): Caller {

    return { ...caller, origin, shared: sharedCaller(caller) };
}

/** Returns a caller object for a single request without credentials: callers are told apart by their addresses. */
export function fromAddress(caller: Caller, address: string): Caller {

    return { ...caller, address, shared: sharedCaller(caller) };
}

/** Returns the caller object by which facts about a caller are cached. */
export function sharedCaller(caller: Caller): Caller {

    return caller.shared ?? caller;
}

/** The caller without credentials. */
export const ANONYMOUS: Caller = {
    userId: null, username: null, groupIds: [], isAdmin: false, isAuthenticated: false, method: 'none'
};

/** The service itself, for its own actions and for those of scripts. */
export const SERVICE: Caller = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/** Returns the service itself as it acts in a request of a caller, such as by type code: the audit log has whose request it was. */
export function serviceFor({ origin, userId, actorId = userId }: Caller): Caller {

    return origin ? { ...SERVICE, actorId, origin, shared: SERVICE } : SERVICE;
}

/** True for callers with all rights of the administrator: an API key may restrict them to some types. */
export function isUnrestrictedAdmin({ isAdmin, apiKey }: Caller): boolean {

    return isAdmin && !apiKey?.types;
}

/**
 * Requires direct authentication (password or key) of callers who change their own password or key, so that a stolen token or
 * session cannot take over the account. An API key cannot change those of others either, unless its scope says so.
 *
 * @throws DoipError 403
 */
export function checkCredentialChange({ userId, isAdmin, method, apiKey }: Caller, objectId: string): void {

    if (apiKey && !apiKey.operations?.has(Op.changePassword)) {
        throw forbidden(`the API key may not change passwords and public keys: its operations do not include ${Op.changePassword}`);
    }

    if (userId === objectId && !isAdmin && method !== 'password' && method !== 'key') {
        throw forbidden('changing the own password or key needs the password itself or a signed assertion, not an access token');
    }
}

/**
 * Requires direct authentication (password or key) of callers who change the writers of their own user object, since a writer can set its password.
 *
 * @throws DoipError 403
 */
export function checkOwnWriters({ userId, isAdmin, method }: Caller, objectId: string): void {

    if (userId === objectId && !isAdmin && method !== 'password' && method !== 'key') {
        throw forbidden('changing who may write the own user object needs the password itself or a signed assertion, not an access token');
    }
}

/** Result of an access check. The reason is for the log; it may name groups and rules that the caller must not learn. */
export interface Decision {
    readonly allowed: boolean;
    readonly reason: string;
    /** The entry that admits the caller, or `admin`. */
    readonly by?: string;
}

/** Returns the error of a denied access: 401 for anonymous callers, who could log in and retry, otherwise 403. The reason is logged, not sent. */
export function denied(caller: Caller, reason: string): DoipError {

    return caller.userId === null ?
        unauthenticated('authentication is required', { reason }) :
        forbidden('you are not permitted to do this', { reason });
}

/** Throws unless access is allowed. @throws DoipError 401 for anonymous callers, 403 for others */
export function demand(caller: Caller, decision: Decision): void {

    if (!decision.allowed) {
        throw denied(caller, decision.reason);
    }
}
