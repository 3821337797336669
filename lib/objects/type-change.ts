/** The right to give an object another type. */

import type { Policy } from '../identity/access/access-policy.js';
import { demand, type Caller } from '../model/caller.js';

/**
 * Changing the type requires the right to create objects of the new type. To be checked before bytes are read, and against the object that is
 * replaced, whose type may have changed meanwhile. `to` is undefined for a change that keeps the type.
 *
 * @throws DoipError 401 for anonymous callers, 403 for others
 */
export function demandType(caller: Caller, policy: Pick<Policy, 'canCreate'>, { from, to }: { readonly from: string; readonly to: string | undefined }): void {

    if (to !== undefined && to !== from) {
        demand(caller, policy.canCreate(caller, to));
    }
}
