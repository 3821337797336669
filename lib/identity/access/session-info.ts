/**
 * The credential and session information record of the interface specification.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { ApiKeyScope } from '../../model/api-key-scope.js';
import type { Caller } from '../../model/caller.js';
import type { Policy } from './access-policy.js';

/** Describes callers. */
export class SessionInfo {

    readonly #policy: Policy;

    constructor(policy: Policy) {

        this.#policy = policy;
    }

    /**
     * Returns the record of a caller: `active`, `userId`, `username` if there is one; with `full` also `typesPermittedToCreate`
     * and `groupIds`. Anonymous callers are inactive; `full` then lists the types that the public may create. For an API key also `apiKey`:
     * its id, name, scope and expiry.
     */
    of(caller: Caller, full: boolean): JsonObject {

        const { apiKey, userId } = caller;
        return {
            active: userId !== null, ...this.identityOf(caller), ...apiKey ? { apiKey: keyRecord(apiKey) } : {}, ...full ? this.detailsOf(caller) : {}
        };
    }

    /** Returns `userId` and `username`, if present. */
    identityOf({ userId, username }: Caller): JsonObject {

        return { ...userId === null ? {} : { userId }, ...username === null ? {} : { username } };
    }

    /** Returns `typesPermittedToCreate` and `groupIds`. */
    detailsOf(caller: Caller): { typesPermittedToCreate: string[]; groupIds: string[] } {

        return { typesPermittedToCreate: this.#policy.typesPermittedToCreate(caller), groupIds: [...caller.groupIds] };
    }
}

function keyRecord({ id, name, operations, types, readOnly, expiresOn }: ApiKeyScope): JsonObject {

    return {
        id, name, readOnly,
        ...operations ? { operations: [...operations] } : {},
        ...types ? { types: [...types] } : {},
        ...expiresOn === null ? {} : { expiresOn }
    };
}
