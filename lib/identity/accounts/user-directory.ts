/**
 * Who is who: accounts by id and by login name, with the groups they are in. Read from memory as long as nothing has changed.
 */

import type { Account, AccountStore } from '../../stores/account-store.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { GroupStore } from '../../stores/group-store.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { Caller } from '../../model/caller.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';
import { isAdminName, isPossibleName, loginKey } from './login-name.js';

/** Somebody with a user object. */
export interface Principal {
    readonly account: Account;
    /** Direct and indirect. */
    readonly groupIds: readonly string[];
}

/** Whom a login name belongs to. */
export interface LoginTarget {
    /** Id of the user object, or `admin`. */
    readonly userId: string;
    /** The record of the password; null when there is none. */
    readonly record: string | null;
}

/** Users whose facts are kept in memory. */
const MAX_ENTRIES = 10_000;

/** Finds users. */
export class Directory {

    readonly #accounts: AccountStore;
    readonly #credentials: CredentialStore;
    readonly #groups: GroupStore;
    readonly #principals = new EpochCache<Principal>(MAX_ENTRIES);
    readonly #callers = new WeakMap<Principal, Map<Caller['method'], Caller>>();

    constructor(parts: { accounts: AccountStore; credentials: CredentialStore; groups: GroupStore }) {

        this.#accounts = parts.accounts;
        this.#credentials = parts.credentials;
        this.#groups = parts.groups;
    }

    /** The same as {@link principal} as far as memory knows it for certain, at once; undefined when it has to be read. */
    recall(userId: string, epoch: number): Principal | undefined {

        return this.#principals.get(userId, epoch);
    }

    /**
     * The user of an id as of an epoch of identity or later; null when no user object has it, or only one to which the id does not
     * belong.
     */
    async principal(userId: string, epoch: number): Promise<Principal | null> {

        return this.recall(userId, epoch) ?? this.#principals.load(userId, epoch, async () => {

            const account = await this.#accounts.get(userId);
            if (!account || await this.#accounts.isOfElsewhere(userId)) {
                return null;
            }

            return { account, groupIds: await this.groupIdsOf([userId]) };
        });
    }

    /** The caller that a user is when logged in by some method; one object per user and method as long as nothing changes. */
    callerOf(principal: Principal, method: Caller['method']): Caller {

        let callers = this.#callers.get(principal);
        if (!callers) {
            callers = new Map();
            this.#callers.set(principal, callers);
        }

        let caller = callers.get(method);
        if (!caller) {
            const { account: { userId, username }, groupIds } = principal;
            caller = { userId, username, groupIds, isAdmin: false, isAuthenticated: true, method };
            callers.set(method, caller);
        }

        return caller;
    }

    /** Groups that list one of the ids, directly or not. */
    groupIdsOf(ids: readonly string[]): Promise<string[]> {

        return groupIdsOf(this.#groups, ids);
    }

    /** The account that a login name stands for: an object id, which wins, or a username in any case. Not for `admin`. */
    async accountOf(name: string): Promise<Account | null> {

        if (!isPossibleName(name)) {
            return null;
        }

        // Both are looked for always, so that it takes as long for ids of nobody.
        const [byId, byName] = await Promise.all([
            name.includes('/') ? this.#accounts.get(name) : null, this.#accounts.getByName(loginKey(name))
        ]);
        return byId ?? byName;
    }

    /** Id of the user object that has a username; null when it is free. */
    async holderOf(username: string): Promise<string | null> {

        return (await this.#accounts.getByName(loginKey(username)))?.userId ?? null;
    }

    /** Whom a login name belongs to, read anew; null for nobody. */
    async findLogin(name: string): Promise<LoginTarget | null> {

        const userId = isAdminName(name) ? ADMIN_ID : (await this.accountOf(name))?.userId;
        return userId === undefined ? null : { userId, record: await this.#credentials.get(userId) };
    }

    /** The epochs of this moment, for work that does not come with a target. */
    epochs(): Promise<Epochs> {

        return this.#accounts.epochs();
    }
}

/**
 * Groups of one author that count for one user; more than this and the rest of that author is left out. Those of others are
 * not affected, and those of the administrator are not counted.
 */
const MAX_OF_AUTHOR = 10_000;

/**
 * Ids of all groups that list one of the given ids, directly or through other groups, in ascending order. Groups that contain
 * each other do no harm.
 */
export async function groupIdsOf(store: Pick<GroupStore, 'groupsListing'>, ids: readonly string[]): Promise<string[]> {

    const found = new Set<string>();
    const byAuthor = new Map<string | null, number>();
    let level: readonly string[] = ids;
    while (level.length > 0) {
        const next: string[] = [];
        for await (const groups of store.groupsListing(level)) {
            for (const { id, author } of groups) {
                const count = byAuthor.get(author) ?? 0;
                if (!found.has(id) && (author === ADMIN_ID || count < MAX_OF_AUTHOR)) {
                    byAuthor.set(author, count + 1);
                    found.add(id);
                    next.push(id);
                }
            }
        }

        level = next;
    }

    return [...found].sort();
}
