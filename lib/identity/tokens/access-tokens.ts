/**
 * Access tokens and sessions: random values of which only hashes are stored. They expire when unused for a while. Uses are
 * recorded in memory and written in batches, so that a request with a token writes nothing.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database, Step } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { StoredToken, TokenStore } from '../../stores/token-store.js';
import { digestOf } from './digest.js';
import type { CacheUsage } from '../../util/cache/cache-usage.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';
import { LastUses } from './last-uses.js';

/** Options. */
export interface TokenOptions {
    /** Idle time in ms after which a token expires. */
    readonly timeout: number;
    /** Maximum number of tokens and sessions per user. */
    readonly perUser: number;
    /** The clock, in epoch milliseconds. */
    readonly now: () => number;
    readonly log: Logger;
    /** True if other processes use the tokens as well. Always so with a database server. */
    readonly isShared?: boolean;
    /** Stores the uses; default the database. */
    readonly uses?: Pick<Database, 'commit'>;
}

/** Request for a token. */
export interface TokenRequest {
    readonly kind: StoredToken['kind'];
    readonly userId: string;
    /** Absolute expiry (epoch ms). */
    readonly expiresOn?: number | null;
    /** Answer of the authenticate hook. */
    readonly facts?: JsonObject | null;
    /** Preconditions, such as "the password is unchanged". */
    readonly preconditions?: readonly Step[];
}

/** A new token; its value is not stored and cannot be read again. */
export interface IssuedToken {
    readonly token: string;
    /** CSRF token of a session; null for tokens. */
    readonly csrf: string | null;
}

/** A token of a user, without what it could be used with. */
export interface TokenDescription {
    /** Names the token; computed from its hash, and of no other use. */
    readonly id: string;
    readonly kind: StoredToken['kind'];
    readonly createdOn: number;
    readonly lastUsedOn: number;
    /** When it expires unless it is used. */
    readonly expiresOn: number;
}

const TOKEN_BYTES = 24;

/** Length of an id in characters: 132 bits. */
const ID_LENGTH = 22;

/** Maximum length of a value in characters; longer ones are not hashed. */
const MAX_VALUE_LENGTH = 256;
const MAX_ENTRIES = 20_000;
const WRITE_EVERY = 30_000;

/** How much the clocks of nodes may differ, in ms. */
const CLOCK_TOLERANCE_MS = 60 * 60_000;

/** Issues, finds and revokes tokens. */
export class AccessTokens {

    readonly #db: Database;
    readonly #store: TokenStore;
    readonly #accounts: AccountStore;
    readonly #options: TokenOptions;
    readonly #cache = new EpochCache<StoredToken>(MAX_ENTRIES);
    readonly #uses: LastUses;
    readonly #writeEvery: number;
    /** Extra time before expiry in ms, because other processes write their uses with a delay. */
    readonly #grace: number;

    constructor(parts: { db: Database; tokens: TokenStore; accounts: AccountStore }, options: TokenOptions) {

        this.#db = parts.db;
        this.#store = parts.tokens;
        this.#accounts = parts.accounts;
        this.#options = options;
        this.#writeEvery = Math.min(WRITE_EVERY, Math.ceil(options.timeout / 10));
        this.#grace = parts.db.dialect === 'mysql' || options.isShared ? 2 * this.#writeEvery : 0;
        this.#uses = new LastUses({
            db: options.uses ?? parts.db, touchSteps: (hash, at) => parts.tokens.touchSteps(hash, at), writeEvery: this.#writeEvery,
            forgetAfter: options.timeout + this.#grace, now: options.now, log: options.log
        });
    }

    /** Counters of the cache. */
    get cacheUsage(): CacheUsage {

        return this.#cache.usage;
    }

    /** Starts writing uses periodically. */
    start(): void {

        this.#uses.start();
    }

    /** Writes pending uses and stops. */
    close(): Promise<void> {

        return this.#uses.close();
    }

    /** Removes some tokens that have certainly expired; resolves to their number. */
    sweep(): Promise<number> {

        return this.#store.sweep(this.#options.now() - this.#options.timeout - this.#grace - 2 * this.#writeEvery);
    }

    /** Issues a token; null if one of its preconditions failed. If the user exceeds the maximum, the least recently used tokens are revoked. */
    async issue({ kind, userId, expiresOn = null, facts = null, preconditions = [] }: TokenRequest): Promise<IssuedToken | null> {

        const token = randomValue();
        const csrf = kind === 'session' ? randomValue() : null;
        const now = this.#options.now();
        const stored: StoredToken = {
            hash: digestOf(token), kind, userId, csrf: csrf === null ? null : digestOf(csrf),
            createdOn: now, lastUsed: now, expiresOn, facts
        };
        if (!await this.#store.insert(stored, preconditions)) {
            return null;
        }

        await this.#endSurplus(userId).catch((error: unknown) => {

            // The token is there; the next one ends what is left.
            this.#options.log.warn({ event: 'identity.limit-failed', user: userId, err: error }, 'failed to end surplus tokens');
        });
        return { token, csrf };
    }

    /**
     * Returns the result of {@link find} if it is cached; null if it has to be read.
     *
     * @param epoch epoch of identity, read before this call
     */
    recall(value: string, epoch: number): StoredToken | null {

        const token = value.length > MAX_VALUE_LENGTH ? undefined : this.#cache.get(digestOf(value), epoch);
        if (!token || this.#isExpired(token)) {
            return null;
        }

        this.#uses.touch(token.hash, token.lastUsed);
        return token;
    }

    /**
     * Returns the token with a value unless it has expired; counts as use.
     *
     * @param epoch epoch of identity, read before this call
     */
    async find(value: string, epoch: number): Promise<StoredToken | null> {

        if (value.length > MAX_VALUE_LENGTH) {
            return null;
        }

        const hash = digestOf(value);
        let token = this.#cache.get(hash, epoch) ?? await this.#load(hash, epoch);
        if (token && this.#isExpired(token) && this.#grace > 0) {
            // Another process may have used it.
            token = await this.#load(hash, epoch);
        }

        if (!token || this.#isExpired(token)) {
            this.#cache.delete(hash);
            return null;
        }

        this.#uses.touch(token.hash, token.lastUsed);
        return token;
    }

    /** Revokes a token; resolves to false if there was none. */
    async revoke(value: string): Promise<boolean> {

        return value.length <= MAX_VALUE_LENGTH && this.#remove(digestOf(value));
    }

    async #remove(hash: string): Promise<boolean> {

        const [remove] = this.#store.removeSteps(hash);
        if (!remove) {
            return false;
        }

        const expected = { ...remove, expect: { rows: 1, otherwise: 'unknown' } };
        const result = await this.#db.commit({ steps: [expected, this.#accounts.bumpStep()], essential: true });
        return result.ok;
    }

    /** Returns the valid tokens of a user, the last used first. Uses of the last minute on other nodes may not be counted. */
    async ofUser(userId: string): Promise<TokenDescription[]> {

        const tokens = await this.#store.ofUser(userId);
        return tokens.filter((token) => !this.#isExpired(token)).map((token) => this.#described(token))
            .sort((one, other) => other.lastUsedOn - one.lastUsedOn);
    }

    /** Counts the valid tokens and sessions, up to a number of them. Uses of the last minute may not be counted. */
    async count(limit: number): Promise<number> {

        return this.#store.countUsed(this.#options.now() - this.#options.timeout, limit);
    }

    /** Revokes the token of a user that has an id, on every node; resolves to false if there is none. */
    async revokeOfUser(userId: string, id: string): Promise<boolean> {

        const found = (await this.#store.ofUser(userId)).find(({ hash }) => idOfHash(hash) === id);
        return found !== undefined && this.#remove(found.hash);
    }

    /** Revokes all tokens of a user, on every node. */
    async revokeAllOfUser(userId: string): Promise<void> {

        await this.#db.commit({ steps: this.revokeAllSteps(userId), essential: true });
    }

    /** Returns steps that revoke all tokens of a user, on every node. */
    revokeAllSteps(userId: string): Step[] {

        return [...this.#store.removeOfUserSteps(userId), this.#accounts.bumpStep()];
    }

    /** Revokes tokens beyond the maximum. Runs after the insert, so that of concurrent ones the last sees them all. */
    async #endSurplus(userId: string): Promise<void> {

        const hashes = await this.#store.surplusOf(userId, this.#options.perUser);
        if (hashes.length > 0) {
            await this.#db.commit({ steps: [...this.#store.removeAllSteps(hashes), this.#accounts.bumpStep()], essential: true });
        }
    }

    #described({ hash, kind, createdOn, lastUsed, expiresOn }: StoredToken): TokenDescription {

        const lastUsedOn = Math.max(lastUsed, this.#uses.of(hash));
        return { id: idOfHash(hash), kind, createdOn, lastUsedOn, expiresOn: Math.min(lastUsedOn + this.#options.timeout, expiresOn ?? Infinity) };
    }

    #load(hash: string, epoch: number): Promise<StoredToken | null> {

        return this.#cache.load(hash, epoch, () => this.#store.get(hash));
    }

    #isExpired({ hash, lastUsed, expiresOn }: StoredToken): boolean {

        const { now, timeout } = this.#options;
        const last = Math.max(lastUsed, this.#uses.of(hash));
        // One that was used in the future was used while the clock was ahead: nobody knows when.
        return now() >= last + timeout + this.#grace || last > now() + CLOCK_TOLERANCE_MS || expiresOn !== null && now() >= expiresOn;
    }
}

/** Returns the id of a token with a value; null for a value that no token has. */
export function tokenId(value: string): string | null {

    return value.length > MAX_VALUE_LENGTH ? null : idOfHash(digestOf(value));
}

/** A digest of the hash: the hash itself stays in the database. */
function idOfHash(hash: string): string {

    return digestOf(`id of ${hash}`).slice(0, ID_LENGTH);
}

/** True if this is the CSRF token of a session. */
export function isCsrfOf(token: StoredToken, csrf: string): boolean {

    const expected = Buffer.from(token.csrf ?? '');
    const digest = Buffer.from(digestOf(csrf));
    return expected.length === digest.length && timingSafeEqual(expected, digest);
}

/** Returns 192 random bits without a dot, which distinguishes tokens from signed assertions. */
function randomValue(): string {

    return randomBytes(TOKEN_BYTES).toString('base64url');
}
