/**
 * What is told about a caller: the credential and session information record of the interface specification.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { Policy } from './access-policy.js';

/** Tells who callers are. */
export class SessionInfo {

    readonly #policy: Policy;

    constructor(policy: Policy) {

        this.#policy = policy;
    }

    /**
     * The record of a caller: `active`, `userId`, `username` where there is one, and when `full` also `typesPermittedToCreate`
     * and `groupIds`. Nobody is inactive; `full` then tells what anybody may create.
     */
    of(caller: Caller, full: boolean): JsonObject {

        return { active: caller.userId !== null, ...this.identityOf(caller), ...full ? this.detailsOf(caller) : {} };
    }

    /** `userId` and `username`, as far as there are any. */
    identityOf({ userId, username }: Caller): JsonObject {

        return { ...userId === null ? {} : { userId }, ...username === null ? {} : { username } };
    }

    /** `typesPermittedToCreate` and `groupIds`. */
    detailsOf(caller: Caller): { typesPermittedToCreate: string[]; groupIds: string[] } {

        return { typesPermittedToCreate: this.#policy.typesPermittedToCreate(caller), groupIds: [...caller.groupIds] };
    }
}
