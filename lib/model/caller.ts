/**
 * Who is asking, as the authenticator found out, and how a caller is told no. Where the answer to a question of rights comes
 * from is the policy's business.
 */

import type { DoipError } from '../errors/errors.js';
import { forbidden, unauthenticated } from '../errors/errors.js';

/** The author named in metadata when nobody was logged in; not a principal. */
export const ANONYMOUS_AUTHOR = 'anonymous';

/** Username and user id of the administrator, who has no object of its own. */
export const ADMIN_ID = 'admin';

/** The one who performs an operation. */
export interface Caller {
    /** Id of the user object, `admin`, or null when anonymous. */
    readonly userId: string | null;
    readonly username: string | null;
    /** Ids of all groups, direct and indirect. */
    readonly groupIds: readonly string[];
    readonly isAdmin: boolean;
    /** True where the keyword `authenticated` of an ACL admits the caller. */
    readonly isAuthenticated: boolean;
    /** How it was proven. `password` and `key` are direct authentication. */
    readonly method: 'none' | 'password' | 'key' | 'token' | 'session' | 'hook' | 'as-user' | 'internal';
}

/** Nobody. */
export const ANONYMOUS: Caller = {
    userId: null, username: null, groupIds: [], isAdmin: false, isAuthenticated: false, method: 'none'
};

/** The service itself, for what it does on its own and for what scripts do through it. */
export const SERVICE: Caller = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/**
 * Requires of callers who change their own password or key that they have shown one of them: whoever got hold of a token or a
 * session must not be able to keep the account.
 *
 * @throws DoipError 403
 */
export function checkOwnCredentials({ userId, isAdmin, method }: Caller, objectId: string): void {

    if (userId === objectId && !isAdmin && method !== 'password' && method !== 'key') {
        throw forbidden('changing the own password or key needs the password itself or a signed assertion, not an access token');
    }
}

/**
 * Requires of callers who change who may write their own user object that they did not come with a token or a session: a writer can
 * set its password.
 *
 * @throws DoipError 403
 */
export function checkOwnWriters({ userId, isAdmin, method }: Caller, objectId: string): void {

    if (userId === objectId && !isAdmin && (method === 'token' || method === 'session')) {
        throw forbidden('changing who may write the own user object needs the password itself or a signed assertion, not an access token');
    }
}

/** An answer to "may the caller?". The reason is for the log; it may name groups and rules that the caller must not learn. */
export interface Decision {
    readonly allowed: boolean;
    readonly reason: string;
}

/**
 * The error for a caller who may not: 401 for anonymous callers, who could log in and try again, 403 for all others. The
 * reason reaches the log, not the answer.
 */
export function denied(caller: Caller, reason: string): DoipError {

    return caller.userId === null ?
        unauthenticated('authentication is required', { reason }) :
        forbidden('you are not permitted to do this', { reason });
}
