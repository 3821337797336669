/**
 * The argument `context` of hooks and methods.
 */

import type { JsonObject } from '../doip/json.js';
import type { Caller } from '../identity/caller.js';
import type { Policy } from '../identity/policy.js';
import type { HookObject } from '../objects/lifecycle.js';

/** What every context is made from. */
export interface ContextSource {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    /** Members of this call alone. */
    readonly members: JsonObject;
}

/** Context of code that is not called about an object. */
export function contextOf({ caller, requestContext, members }: ContextSource): JsonObject {

    return {
        ...caller.userId === null ? {} : { userId: caller.userId },
        groups: [...caller.groupIds],
        ...caller.isAuthenticated ? { grantAuthenticatedAccess: true } : {},
        ...Object.keys(requestContext).length > 0 ? { requestContext } : {},
        ...members
    };
}

/** Context of code that is called about an object: also its id, and the rights that apply to it. */
export function objectContext(source: ContextSource, object: HookObject, policy: Policy): JsonObject {

    const { id, type, acl } = object;
    const defaults = policy.defaultsOf(type);
    return {
        ...id === undefined ? {} : { objectId: id },
        ...contextOf(source),
        effectiveAcl: { readers: [...acl?.readers ?? defaults.defaultAclRead], writers: [...acl?.writers ?? defaults.defaultAclWrite] },
        ...source.members['isNew'] === true ? { aclCreate: [...defaults.aclCreate] } : {}
    };
}
