/**
 * The argument `context` of hooks and methods.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { HookObject, HookFacts } from '../../objects/hooks/lifecycle.js';

/** Mutable: most members exist for some calls only, and merging objects would dominate the cost of a context. */
type Context = Record<string, JsonValue>;

/** Input of every context. */
export type ContextSource = Pick<HookFacts, 'caller' | 'requestContext' | 'members'>;

/** Returns the context of code that is not called on an object. */
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

/** Returns the context of code that is called on an object: also its id and effective access rules. */
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
