/**
 * Authentication by name and password. Successful pairs are cached for a minute as digests under a key of this process, so that
 * clients which send them with every request do not pay for hashing each time. A cached login is valid only while name and
 * password still match the database.
 */

import { growingCache } from '../../util/cache/growing-cache.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { DoipError } from '../../errors/errors.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { LoginThrottle } from '../throttling/login-throttle.js';
import { sourceOf } from '../../util/net/ip-address.js';
import type { Login } from '../throttling/edge-limiter.js';
import { TOO_MANY_LOGINS } from '../throttling/edge-limiter.js';
import { InFlightLimiter } from '../throttling/in-flight-limiter.js';
import { keyedDigests } from '../tokens/digest.js';
import type { Directory } from '../accounts/user-directory.js';
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

const CACHE_TTL_MS = 60_000;
const MAX_ENTRIES = 10_000;

/** Maximum number of requests per address that wait for logins, including identical ones. */
const IN_FLIGHT_LIMITS = 256;

/** Verifies names and passwords. */
export class PasswordAuthenticator {

    readonly #directory: Directory;
    readonly #credentials: CredentialStore;
    readonly #passwords: PasswordHasher;
    readonly #throttle: LoginThrottle;
    readonly #now: () => number;
    readonly #digest = keyedDigests();
    readonly #cache = growingCache<string, { login: PasswordLogin; epoch: number; readonly validUntil: number }>(MAX_ENTRIES);
    /** Single flight: concurrent requests with the same credentials share one attempt, unless the epoch has changed since it began. */
    readonly #attempts = new SingleFlight<PasswordLogin | null>();
    readonly #inFlight = new InFlightLimiter(IN_FLIGHT_LIMITS);

    constructor(
        parts: { directory: Directory; credentials: CredentialStore; passwords: PasswordHasher; throttle: LoginThrottle }, now: () => number
    ) {

        this.#directory = parts.directory;
        this.#credentials = parts.credentials;
        this.#passwords = parts.passwords;
        this.#throttle = parts.throttle;
        this.#now = now;
    }

    /** Returns a cached login that is valid for certain; null if {@link login} has to verify it. */
    fromCache(attempt: PasswordAttempt): PasswordLogin | null {

        const cached = this.#cache.get(this.#digestOf(attempt));
        return cached && cached.validUntil > this.#now() && cached.epoch >= attempt.epoch ? cached.login : null;
    }

    /**
     * Verifies a name and a password; null if they do not match, for whatever reason.
     *
     * @throws DoipError 429 if too many logins are queued
     */
    async login(attempt: PasswordAttempt): Promise<PasswordLogin | null> {

        const digest = this.#digestOf(attempt);
        const cached = await this.#validCached(digest, attempt);
        if (cached) {
            return cached;
        }

        const source = sourceOf(attempt.remoteAddress);
        if (this.#isExhausted(source)) {
            throw TOO_MANY_LOGINS;
        }

        return this.#inFlight.run(source, () => this.#attempts.run(() => this.#attempt(digest, source, attempt), `${source} ${digest}`, attempt.epoch));
    }

    /**
     * True if a login would be rejected because too many from its address are in progress. Reads nothing, and does not depend
     * on whether the user exists.
     */
    isRejected({ name, password, remoteAddress }: Login): boolean {

        const isExhausted = (this.#passwords.isBusy || this.#inFlight.isAnyFull) && this.#isExhausted(sourceOf(remoteAddress));
        return isExhausted && !this.#cache.has(this.#digestOf({ name, password }));
    }

    #isExhausted(source: string): boolean {

        return this.#passwords.isFull(source) || this.#inFlight.isFull(source);
    }

    /** Drops a cached login, whose record is not that of the password any more: the next one is verified. */
    forget({ name, password }: Pick<PasswordAttempt, 'name' | 'password'>): void {

        this.#cache.delete(this.#digestOf({ name, password }));
    }

    /** True if this is the password of a user. For password changes; not counted as a login attempt. */
    async isPasswordOf(userId: string, password: string): Promise<boolean> {

        return (await this.#passwords.check(password, await this.#credentials.get(userId), userId)).matches;
    }

    /**
     * True if the password that came with a request in progress has not been changed since. Not counted as a login attempt.
     *
     * @param record of the login with it, or undefined
     * @throws DoipError 429 if the record has been replaced and too many logins are queued
     */
    async isCurrent({ name, password, remoteAddress }: Login, record: string | undefined): Promise<boolean> {

        const target = await this.#directory.findLogin(name);
        if (!target || target.record === record) {
            return target !== null;
        }

        // Of another password, or of the same with a stronger hash.
        const source = sourceOf(remoteAddress);
        if (this.#isExhausted(source)) {
            throw TOO_MANY_LOGINS;
        }

        return (await this.#passwords.check(password, target.record, source)).matches;
    }

    async #attempt(digest: string, source: string, { name, password, epoch }: PasswordAttempt): Promise<PasswordLogin | null> {

        const login = await this.#throttle.attempt(name, source, async () => {

            const target = await this.#directory.findLogin(name);
            const record = target?.record ?? null;
            const { matches, outdated } = await this.#passwords.check(password, record, source);
            if (!matches || !target || record === null) {
                return null;
            }

            const proven = { userId: target.userId, record };
            return outdated ? this.#renew(proven, password, source) : proven;
        });
        if (login) {
            this.#cache.set(digest, { login, epoch, validUntil: this.#now() + CACHE_TTL_MS });
        }

        return login;
    }

    /** Returns a login with the right password, whose record is renewed; null if the password was changed meanwhile. */
    async #renew({ userId, record }: PasswordLogin, password: string, source: string): Promise<PasswordLogin | null> {

        let better: string;
        try {
            better = await this.#passwords.hash(password, source);
        }
        catch (error) {
            // overloaded: the login succeeds all the same, and a later one renews the record.
            if (error instanceof DoipError) {
                return { userId, record };
            }

            throw error;
        }

        if (await this.#credentials.upgrade(userId, record, better)) {
            return { userId, record: better };
        }

        // Another login has renewed it, perhaps at another node, or the password was changed.
        const current = await this.#credentials.get(userId);
        const { matches } = await this.#passwords.check(password, current, source);
        return matches && current !== null ? { userId, record: current } : null;
    }

    async #validCached(digest: string, { name, epoch }: PasswordAttempt): Promise<PasswordLogin | null> {

        const cached = this.#cache.get(digest);
        if (!cached) {
            return null;
        }

        if (cached.validUntil <= this.#now()) {
            this.#cache.delete(digest);
            return null;
        }

        if (cached.epoch >= epoch) {
            return cached.login;
        }

        const target = await this.#directory.findLogin(name);
        if (target?.userId !== cached.login.userId || target.record !== cached.login.record) {
            this.#cache.delete(digest);
            return null;
        }

        cached.epoch = Math.max(cached.epoch, epoch);
        return cached.login;
    }

    /** Returns the digest of a pair; the length of the name makes it unambiguous. */
    #digestOf({ name, password }: Pick<PasswordAttempt, 'name' | 'password'>): string {

        return this.#digest(`${name.length}\n${name}\n${password}`);
    }
}
