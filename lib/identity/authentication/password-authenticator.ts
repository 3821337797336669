/**
 * Authentication by name and password. Successful pairs are cached for a minute as digests under a key of this process, so that
 * clients which send them with every request do not pay for hashing each time. A cached login is valid only while name and
 * password still match the database.
 */

import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { DoipError } from '../../errors/errors.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { LoginThrottle } from '../throttling/login-throttle.js';
import { sourceOf } from '../throttling/login-throttle.js';
import type { Login } from '../throttling/edge-limiter.js';
import { TOO_MANY_LOGINS } from '../throttling/edge-limiter.js';
import { InFlightLimiter } from '../throttling/in-flight-limiter.js';
import { keyedDigests } from '../tokens/digest.js';
import type { Directory, LoginTarget } from '../accounts/user-directory.js';
import type { PasswordHasher } from '../passwords/password-hasher.js';

/** A login attempt. */
export interface PasswordAttempt extends Login {
    /** Epoch of identity, read before the attempt. */
    readonly epoch: number;
}

/** A successful login: the user, and the record of the password. */
export interface PasswordLogin {
    readonly userId: string;
    readonly record: string;
}

interface CacheEntry {
    login: PasswordLogin;
    epoch: number;
    readonly until: number;
}

const CACHE_TTL_MS = 60_000;
const MAX_ENTRIES = 10_000;

/** Maximum number of requests per address that wait for logins, including identical ones. */
const IN_FLIGHT_LIMITS = 256;

/** Verifies names and passwords. */
export class PasswordAuthenticator {

    readonly #directory: Directory;
    readonly #credentials: CredentialStore;
    readonly #passwords: PasswordHasher;
    readonly #backOff: LoginThrottle;
    readonly #now: () => number;
    readonly #digest = keyedDigests();
    readonly #remembered = new LRUCache<string, CacheEntry>({ max: MAX_ENTRIES });
    /** Single flight: concurrent requests with the same credentials share one attempt, unless the epoch has changed since it began. */
    readonly #attempts = new SingleFlight<PasswordLogin | null>();
    readonly #crowd = new InFlightLimiter(IN_FLIGHT_LIMITS);

    constructor(
        parts: { directory: Directory; credentials: CredentialStore; passwords: PasswordHasher; backOff: LoginThrottle }, now: () => number
    ) {

        this.#directory = parts.directory;
        this.#credentials = parts.credentials;
        this.#passwords = parts.passwords;
        this.#backOff = parts.backOff;
        this.#now = now;
    }

    /** Returns a cached login that is valid for certain; null if {@link login} has to verify it. */
    recall(attempt: PasswordAttempt): PasswordLogin | null {

        const known = this.#remembered.get(this.#digestOf(attempt));
        return known && known.until > this.#now() && known.epoch >= attempt.epoch ? known.login : null;
    }

    /**
     * Verifies a name and a password; null if they do not match, for whatever reason.
     *
     * @throws DoipError 429 if too many logins are queued
     */
    async login(attempt: PasswordAttempt): Promise<PasswordLogin | null> {

        const digest = this.#digestOf(attempt);
        const known = await this.#recall(digest, attempt);
        if (known) {
            return known;
        }

        const source = sourceOf(attempt.remoteAddress);
        if (this.#isCrowded(source)) {
            throw TOO_MANY_LOGINS;
        }

        return this.#crowd.run(source, () => this.#attempts.run(() => this.#attempt(digest, source, attempt), `${source} ${digest}`, attempt.epoch));
    }

    /**
     * True if a login would be rejected because too many from its address are in progress. Reads nothing, and does not depend
     * on whether the user exists.
     */
    isRejected({ name, password, remoteAddress }: Login): boolean {

        const isCrowded = (this.#passwords.isBusy || this.#crowd.isAnyFull) && this.#isCrowded(sourceOf(remoteAddress));
        return isCrowded && !this.#remembered.has(this.#digestOf({ name, password }));
    }

    #isCrowded(source: string): boolean {

        return this.#passwords.isFull(source) || this.#crowd.isFull(source);
    }

    /** True if this is the password of a user. For password changes; not counted as a login attempt. */
    async isPasswordOf(userId: string, password: string): Promise<boolean> {

        return (await this.#passwords.check(password, await this.#credentials.get(userId), userId)).matches;
    }

    async #attempt(digest: string, source: string, { name, password, epoch }: PasswordAttempt): Promise<PasswordLogin | null> {

        const login = await this.#backOff.attempt(name, source, async () => {

            const target = await this.#directory.findLogin(name);
            const { matches, outdated } = await this.#passwords.check(password, target?.record ?? null, source);
            return matches && target ? this.#succeed(target, outdated ? password : null, source) : null;
        });
        if (login) {
            this.#remembered.set(digest, { login, epoch, until: this.#now() + CACHE_TTL_MS });
        }

        return login;
    }

    /** @param outdated the password if its record has to be renewed */
    async #succeed({ userId, record }: LoginTarget, outdated: string | null, source: string): Promise<PasswordLogin> {

        const current = record ?? '';
        if (outdated === null) {
            return { userId, record: current };
        }

        try {
            const better = await this.#passwords.hash(outdated, source);
            await this.#credentials.upgrade(userId, current, better);
            return { userId, record: better };
        }
        catch (error) {
            // overloaded: the login succeeds all the same, and a later one renews the record.
            if (error instanceof DoipError) {
                return { userId, record: current };
            }

            throw error;
        }
    }

    async #recall(digest: string, { name, epoch }: PasswordAttempt): Promise<PasswordLogin | null> {

        const known = this.#remembered.get(digest);
        if (!known) {
            return null;
        }

        if (known.until <= this.#now()) {
            this.#remembered.delete(digest);
            return null;
        }

        if (known.epoch >= epoch) {
            return known.login;
        }

        const target = await this.#directory.findLogin(name);
        if (target?.userId !== known.login.userId || target.record !== known.login.record) {
            this.#remembered.delete(digest);
            return null;
        }

        known.epoch = Math.max(known.epoch, epoch);
        return known.login;
    }

    /** Returns the digest of a pair; the length of the name makes it unambiguous. */
    #digestOf({ name, password }: Pick<PasswordAttempt, 'name' | 'password'>): string {

        return this.#digest(`${name.length}\n${name}\n${password}`);
    }
}
