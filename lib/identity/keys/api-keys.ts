/**
 * API keys: long-lived credentials of users for programs. Only hashes of their values are stored; a value is found by its hash, so that
 * comparing it reveals nothing. A key acts as its user, within its scope.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.js';
import { badRequest, conflict, DoipError, forbidden, notFound, unknownOutcome } from '../../errors/errors.js';
import type { ApiKeyScope } from '../../model/api-key-scope.js';
import { isWithin } from '../../model/api-key-scope.js';
import type { Caller } from '../../model/caller.js';
import { ADMIN_ID, denied, isUnrestrictedAdmin } from '../../model/caller.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { ApiKeyStore, StoredApiKey, StoredScope } from '../../stores/api-key-store.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import type { Directory } from '../accounts/user-directory.js';
import { digestOf } from '../tokens/digest.js';
import { LastUses } from '../tokens/last-uses.js';
import { isKeyValue, newKeyValue } from './key-value.js';

/** Options. */
export interface ApiKeyOptions {
    /** Maximum number of keys of one user. */
    readonly perUser: number;
    /** Maximum lifetime in days; 0 for none. */
    readonly maxDays: number;
    /** The clock, in epoch milliseconds. */
    readonly now: () => number;
    readonly log: Logger;
    /** Stores the uses; default the database. */
    readonly uses?: Pick<Database, 'commit'>;
}

/** A key to create. */
export interface ApiKeyRequest extends StoredScope {
    readonly name: string;
    /** User for whom the key is; by default the caller. */
    readonly userId?: string | undefined;
    /** Epoch ms; null for a key that does not expire. */
    readonly expiresOn: number | null;
}

/** A key, as it is known once it was found. */
export interface ApiKey {
    readonly stored: StoredApiKey;
    readonly scope: ApiKeyScope;
}

/** Some keys of all users. */
export interface ApiKeyPage {
    readonly keys: readonly StoredApiKey[];
    /** Where the next page begins; null for the last one. */
    readonly next: string | null;
}

const MAX_ENTRIES = 20_000;
const DAY = 86_400_000;
const WRITE_EVERY = 60_000;
const ID_BYTES = 8;
const KEY_ID = /^[0-9a-f]{16}$/;

/** Expired keys are listed for this long. */
const LISTED_FOR = 30 * DAY;

const NAME_TAKEN = 'identity:key-name';
const USER_GONE = 'identity:key-user';
const KEY_GONE = 'identity:key-gone';

/** Creates, finds and revokes API keys. */
export class ApiKeys {

    readonly #db: Database;
    readonly #store: ApiKeyStore;
    readonly #accounts: AccountStore;
    readonly #directory: Directory;
    readonly #options: ApiKeyOptions;
    readonly #cache = new EpochCache<ApiKey>(MAX_ENTRIES);
    readonly #uses: LastUses;
    readonly #callers = new WeakMap<ApiKey, WeakMap<Caller, Caller>>();

    constructor(parts: { db: Database; keys: ApiKeyStore; accounts: AccountStore; directory: Directory }, options: ApiKeyOptions) {

        this.#db = parts.db;
        this.#store = parts.keys;
        this.#accounts = parts.accounts;
        this.#directory = parts.directory;
        this.#options = options;
        this.#uses = new LastUses({
            db: options.uses ?? parts.db, touchSteps: (hash, at) => parts.keys.touchSteps(hash, at), writeEvery: WRITE_EVERY, forgetAfter: WRITE_EVERY,
            now: options.now, log: options.log
        });
    }

    /** Starts writing uses periodically. */
    start(): void {

        this.#uses.start();
    }

    /** Writes pending uses and stops. */
    close(): Promise<void> {

        return this.#uses.close();
    }

    /** Removes some keys that expired long ago; resolves to their number. */
    sweep(): Promise<number> {

        return this.#store.sweep(this.#options.now() - LISTED_FOR);
    }

    /**
     * Returns the result of {@link find} if it is cached; null if it has to be read.
     *
     * @param epoch epoch of identity, read before this call
     */
    recall(value: string, epoch: number): ApiKey | null {

        const key = isKeyValue(value) ? this.#cache.get(digestOf(value), epoch) : undefined;
        return key ? this.#used(key) : null;
    }

    /**
     * Returns the key with a value unless it has expired; counts as use.
     *
     * @param epoch epoch of identity, read before this call
     */
    async find(value: string, epoch: number): Promise<ApiKey | null> {

        if (!isKeyValue(value)) {
            return null;
        }

        const hash = digestOf(value);
        const key = this.#cache.get(hash, epoch) ?? await this.#cache.load(hash, epoch, async () => {

            const stored = await this.#store.getActive(hash);
            return stored && { stored, scope: scopeOf(stored) };
        });
        return key && this.#used(key);
    }

    /** Returns a caller restricted to the scope of a key; the same object as long as nothing changes. */
    restricted(caller: Caller, key: ApiKey): Caller {

        const callers = getOrAdd(this.#callers, key, () => new WeakMap<Caller, Caller>());
        return getOrAdd(callers, caller, () => ({ ...caller, apiKey: key.scope }));
    }

    /**
     * Creates a key.
     *
     * @returns the value, which is not stored and cannot be read again
     * @throws DoipError 400, 403, 404 for an unknown user, 409 for a name that the user has given to another key, or for too many keys
     */
    async create(request: ApiKeyRequest, caller: Caller): Promise<{ readonly value: string; readonly stored: StoredApiKey }> {

        const { name, operations, types, readOnly, expiresOn } = request;
        const { log, now, perUser } = this.#options;
        const userId = this.#ownerOf(request, caller);
        this.#checkExpiry(expiresOn);
        await this.#checkUser(userId, caller);
        await this.#checkNumber(userId, perUser - 1);
        const value = newKeyValue();
        const stored: StoredApiKey = {
            hash: digestOf(value), id: randomBytes(ID_BYTES).toString('hex'), userId, name, scope: { operations, types, readOnly },
            createdOn: now(), createdBy: caller.userId ?? userId, expiresOn, lastUsed: null
        };
        if (caller.apiKey && !isWithin(scopeOf(stored), caller.apiKey)) {
            throw forbidden('an API key can only make keys with the same or less scope and lifetime than its own');
        }

        const userSteps = userId === ADMIN_ID ? [] : this.#accounts.expectSteps(userId, USER_GONE);
        const result = await this.#db.commit({ steps: [...userSteps, ...this.#store.insertSteps(stored, NAME_TAKEN)] });
        if (!result.ok) {
            throw result.failed === NAME_TAKEN ? conflict(`user ${userId} has an API key with the name ${name} already`) : unknownUser(userId);
        }

        await this.#limit(stored, perUser);
        log.info({ event: 'identity.key-created', key: stored.id, user: userId, by: caller.userId }, 'API key created');
        return { value, stored };
    }

    /** Removes a key that was just made if others made at the same time exceed the maximum with it. */
    async #limit(stored: StoredApiKey, allowed: number): Promise<void> {

        const { log } = this.#options;
        const tooMany = await this.#checkNumber(stored.userId, allowed).catch((error: unknown) => {

            if (error instanceof DoipError) {
                return error;
            }

            // The key was made, and nobody would know its value.
            log.warn({ event: 'identity.limit-failed', user: stored.userId, err: error }, 'failed to count API keys');
            return undefined;
        });
        if (tooMany) {
            await this.#remove(stored).catch((error: unknown) => {

                throw unknownOutcome(error);
            });
            throw tooMany;
        }
    }

    /**
     * Returns the keys of a user, by name.
     *
     * @throws DoipError 401, 403 for those of other users, unless the caller is the administrator
     */
    async ofUser(userId: string | undefined, caller: Caller): Promise<readonly StoredApiKey[]> {

        const owner = userId ?? caller.userId;
        if (owner === null || owner !== caller.userId && !isUnrestrictedAdmin(caller)) {
            throw denied(caller, 'API keys of another user');
        }

        return (await this.#store.ofUser(owner, Math.max(this.#options.perUser, MAX_ENTRIES))).map((key) => this.#current(key));
    }

    /** Returns keys of all users, after the id `after`. @throws DoipError 401, 403 unless the caller is the administrator */
    async all({ after, limit }: { readonly after: string; readonly limit: number }, caller: Caller): Promise<ApiKeyPage> {

        if (!isUnrestrictedAdmin(caller)) {
            throw denied(caller, 'API keys of all users');
        }

        const keys = await this.#store.all(after, limit + 1);
        const page = keys.slice(0, limit);
        return { keys: page.map((key) => this.#current(key)), next: keys.length > limit ? page.at(-1)?.id ?? null : null };
    }

    /** Revokes a key by its public id, on all nodes, and returns it. @throws DoipError 404 if there is none, or only one of another user */
    async revoke(id: string, caller: Caller): Promise<StoredApiKey> {

        const stored = KEY_ID.test(id) ? await this.#store.getById(id) : null;
        const isOwn = stored !== null && (isUnrestrictedAdmin(caller) || stored.userId === caller.userId);
        if (!isOwn || !await this.#remove(stored)) {
            throw notFound('there is no such API key');
        }

        this.#options.log.info({ event: 'identity.key-revoked', key: id, user: stored.userId, by: caller.userId }, 'API key revoked');
        return stored;
    }

    /** Revokes the key with a value, the possession of which is permission enough, and returns it; null for an unknown one. */
    async revokeValue(value: string): Promise<StoredApiKey | null> {

        const stored = isKeyValue(value) ? await this.#store.get(digestOf(value)) : null;
        if (!stored || !await this.#remove(stored)) {
            return null;
        }

        this.#options.log.info({ event: 'identity.key-revoked', key: stored.id, user: stored.userId, by: null }, 'API key revoked');
        return stored;
    }

    async #remove({ hash }: StoredApiKey): Promise<boolean> {

        const steps = [...this.#store.removeSteps(hash, KEY_GONE), this.#accounts.bumpStep()];
        return (await this.#db.commit({ steps, essential: true })).ok;
    }

    #used(key: ApiKey): ApiKey | null {

        const { hash, expiresOn, lastUsed } = key.stored;
        if (expiresOn !== null && this.#options.now() >= expiresOn) {
            return null;
        }

        this.#uses.touch(hash, lastUsed ?? 0);
        return key;
    }

    /** Adds the last use on this node. */
    #current(stored: StoredApiKey): StoredApiKey {

        const lastUsed = Math.max(stored.lastUsed ?? 0, this.#uses.of(stored.hash));
        return lastUsed === 0 ? stored : { ...stored, lastUsed };
    }

    /** Returns for whom a key is, if the caller may make it. */
    #ownerOf({ userId }: ApiKeyRequest, caller: Caller): string {

        const owner = userId ?? caller.userId;
        if (owner === null || owner !== caller.userId && !isUnrestrictedAdmin(caller)) {
            throw denied(caller, 'only the administrator can make API keys for other users');
        }

        const { isAdmin, method } = caller;
        // A stolen token must not become a key that outlives it.
        if (!isAdmin && method !== 'password' && method !== 'key' && method !== 'hook' && method !== 'api-key') {
            throw forbidden('making an API key needs the password itself or a signed assertion, not an access token');
        }

        return owner;
    }

    #checkExpiry(expiresOn: number | null): void {

        const { maxDays, now } = this.#options;
        if (expiresOn !== null && expiresOn <= now()) {
            throw badRequest('an API key must expire in the future');
        }

        if (maxDays > 0 && (expiresOn === null || expiresOn > now() + maxDays * DAY)) {
            throw badRequest(`API keys of this service must expire within ${maxDays} days: set expiresInDays`);
        }
    }

    async #checkUser(userId: string, caller: Caller): Promise<void> {

        if (userId === ADMIN_ID) {
            return;
        }

        const { identity } = await this.#directory.epochs();
        const principal = await this.#directory.principal(userId, identity);
        if (!principal) {
            throw userId === caller.userId ? forbidden('only users with a user object can have API keys') : unknownUser(userId);
        }

        if (!principal.account.active) {
            throw badRequest(`the account of user ${userId} is inactive`);
        }
    }

    /** Checks that a user has at most `allowed` keys: before one is added and again afterwards, when concurrent ones are counted as well. */
    async #checkNumber(userId: string, allowed: number): Promise<void> {

        if (await this.#store.countOf(userId) > allowed) {
            const { perUser } = this.#options;
            throw conflict(perUser === 0 ? 'API keys are turned off' : `user ${userId} has ${perUser} API keys, the maximum: revoke some first`);
        }
    }
}

function unknownUser(userId: string): Error {

    return notFound(`there is no user ${userId}`);
}

function scopeOf({ id, name, scope: { operations, types, readOnly }, expiresOn }: StoredApiKey): ApiKeyScope {

    return { id, name, operations: operations && new Set(operations), types: types && new Set(types), readOnly, expiresOn };
}
