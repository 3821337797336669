/**
 * API keys of users that an upload of all objects deletes. They log nobody in until a rollback gives them back to their users; a key that is revoked
 * meanwhile stays revoked, and is never one of another user.
 */

import type { Step } from '../../../db/database.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { ApiKeyStore, NamedKey } from '../../stores/api-key-store.js';

/** API keys of deleted users. */
export class HeldKeys {

    readonly #accounts: AccountStore;
    readonly #keys: ApiKeyStore;

    constructor(parts: { accounts: AccountStore; keys: ApiKeyStore }) {

        this.#accounts = parts.accounts;
        this.#keys = parts.keys;
    }

    /** Returns what is needed to give the keys of at most 256 users back, by the id of their user; users without keys are absent. */
    of(userIds: readonly string[]): Promise<Map<string, readonly NamedKey[]>> {

        return this.#keys.namesOf(userIds);
    }

    /** Returns the steps that give keys back to their user. */
    giveBackSteps(userId: string, keys: readonly NamedKey[]): Step[] {

        return keys.length > 0 ? [...this.#keys.giveBackSteps(userId, keys), this.#accounts.bumpStep()] : [];
    }

    /** Returns the steps that delete what was not given back. */
    dropSteps(): Step[] {

        return this.#keys.dropHeldSteps();
    }
}
