/**
 * Who is asking, as the authenticator found out.
 */

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
