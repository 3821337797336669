/** Whose tokens a request is about. */

import { forbidden } from '../../errors/errors.js';
import type { Caller } from '../../model/caller.js';
import { isUnrestrictedAdmin } from '../../model/caller.js';

/** Returns the id of the named user, or of the caller. @throws DoipError 403 for other users, unless the caller is the administrator */
export function tokenOwner(userId: string | undefined, caller: Caller): string {

    const owner = userId ?? caller.userId ?? '';
    if (owner !== caller.userId && !isUnrestrictedAdmin(caller)) {
        throw forbidden('only the administrator can see and revoke the tokens of other users');
    }

    return owner;
}
