/**
 * On whose behalf code is called.
 */

import type { Caller } from '../../model/caller.js';
import type { HookFacts } from '../../objects/hooks/lifecycle.js';
import { sourceOf } from '../../util/net/ip-address.js';

/** On whose behalf code is called, and how. */
export interface InvocationContext extends Omit<HookFacts, 'members'> {
    /** Key for fair scheduling, where code runs as another than the caller on whose behalf; default: that of `caller`. */
    readonly callerKey?: string;
}

/** Key of what the service runs for itself. Keys that begin with a space are no ids of users. */
export const OWN_KEY = ' service';

/** Returns the key of a caller; for anonymous callers it is derived from the address. */
export function keyOf({ userId, address = '' }: Pick<Caller, 'userId' | 'address'>): string {

    return userId ?? ` ${sourceOf(address)}`;
}

/** Returns the key of a login: other scripts of its source do not hold it up. */
export function loginKeyOf(source: string): string {

    return ` login ${source}`;
}
