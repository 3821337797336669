/**
 * User directory: accounts by id and login name, with their groups. Cached as long as the epoch of identity stays the same.
 */

import type { Account, AccountStore } from '../../stores/account-store.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { GroupStore } from '../../stores/group-store.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { Caller } from '../../model/caller.js';
import type { CacheUsage } from '../../util/cache/cache-usage.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';
import { isAdminName, isPossibleName, loginKey } from './login-name.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** A user with a user object. */
export interface Principal {
    readonly account: Account;
    /** Direct and indirect. */
    readonly groupIds: readonly string[];
}

/** The account that a login name belongs to. */
export interface LoginTarget {
    /** Id of the user object, or `admin`. */
    readonly userId: string;
    /** Record of the password; null if there is none. */
    readonly record: string | null;
}

/** Maximum number of cached users. */
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

    /** Counters of the cache. */
    get cacheUsage(): CacheUsage {

        return this.#principals.usage;
    }

    /** Returns the result of {@link principal} if it is cached; undefined if it has to be read. */
    recall(userId: string, epoch: number): Principal | undefined {

        return this.#principals.get(userId, epoch);
    }

    /**
     * Returns a user as of an epoch of identity or later; null if there is no user object with the id, or only one that the id
     * does not belong to.
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

    /** Returns the caller for a user and an authentication method; the same object as long as nothing changes. */
    callerOf(principal: Principal, method: Caller['method']): Caller {

        const { account: { userId, username }, groupIds } = principal;
        const callers = getOrAdd(this.#callers, principal, () => new Map<Caller['method'], Caller>());
        return getOrAdd(callers, method, () => ({ userId, username, groupIds, isAdmin: false, isAuthenticated: true, method }));
    }

    /** Returns the groups that list one of the ids, directly or indirectly. */
    groupIdsOf(ids: readonly string[]): Promise<string[]> {

        return groupIdsOf(this.#groups, ids);
    }

    /** Returns the account of a login name: an object id, which takes precedence, or a username in any case. Not for `admin`. */
    async accountOf(name: string): Promise<Account | null> {

        if (!isPossibleName(name)) {
            return null;
        }

        // Always looks up both, so that unknown ids take as long.
        const [byId, byName] = await Promise.all([
            name.includes('/') ? this.#accounts.get(name) : null, this.#accounts.getByName(loginKey(name))
        ]);
        return byId ?? byName;
    }

    /** Returns the id of the user object with a username; null if it is free. */
    async holderOf(username: string): Promise<string | null> {

        return (await this.#accounts.getByName(loginKey(username)))?.userId ?? null;
    }

    /** Returns the account of a login name, uncached; null if there is none. */
    async findLogin(name: string): Promise<LoginTarget | null> {

        const userId = isAdminName(name) ? ADMIN_ID : (await this.accountOf(name))?.userId;
        return userId === undefined ? null : { userId, record: await this.#credentials.get(userId) };
    }

    /** Returns the current epochs, for work without a target. */
    epochs(): Promise<Epochs> {

        return this.#accounts.epochs();
    }
}

/**
 * Maximum number of groups by one author that count for one user; further groups of this author are ignored. Other authors are
 * not affected, and groups of the administrator are unlimited.
 */
const MAX_OF_AUTHOR = 10_000;

/**
 * Returns the ids of all groups that list one of the given ids, directly or through other groups, in ascending order. Groups
 * may contain each other.
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
