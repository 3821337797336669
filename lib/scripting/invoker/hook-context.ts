/**
 * The argument `context` of hooks and methods.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { HookObject } from '../../objects/hooks/lifecycle.js';

/** Filled one by one: most members are there for some calls only, and merging them costs more than all else about a context. */
type Context = Record<string, JsonValue>;

/** What every context is made from. */
export interface ContextSource {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    /** Members of this call alone. */
    readonly members: JsonObject;
}

/** Context of code that is not called about an object. */
export function contextOf({ caller, requestContext, members }: ContextSource): Context {

    const context: Context = { ...members, groups: [...caller.groupIds] };
    if (caller.userId !== null) {
        context['userId'] = caller.userId;
    }

    if (caller.isAuthenticated) {
        context['grantAuthenticatedAccess'] = true;
    }

    if (Object.keys(requestContext).length > 0) {
        context['requestContext'] = requestContext;
    }

    return context;
}

/** Context of code that is called about an object: also its id, and the rights that apply to it. */
export function objectContext(source: ContextSource, object: HookObject, policy: Policy): Context {

    const { id, type, acl } = object;
    const defaults = policy.defaultsOf(type);
    const context = contextOf(source);
    context['effectiveAcl'] = { readers: [...acl?.readers ?? defaults.defaultAclRead], writers: [...acl?.writers ?? defaults.defaultAclWrite] };
    if (id !== undefined) {
        context['objectId'] = id;
    }

    if (source.members['isNew'] === true) {
        context['aclCreate'] = [...defaults.aclCreate];
    }

    return context;
}
