/** Credentials of requests: access tokens, which are made from a password and renewed, or that the program supplies. */

import { abortable } from './abort.js';

/** Supplies a token. `rejected` is the one that the service no longer accepts; null at first. */
export type TokenSource = (rejected: string | null) => string | Promise<string>;

/** Who is calling. Without any member: nobody. */
export interface Credentials {
    /** Name or id of a user, with a `password`. An access token is made from them, and renewed when it has expired. */
    readonly username?: string;
    readonly password?: string;
    /** Alternatively an access token, an API key or any other Bearer token, or a function that supplies one. */
    readonly token?: string | TokenSource;
}

/** An access token expires after a time without use, which is 30 minutes unless the service is configured otherwise. */
const MAX_IDLE_MS = 10 * 60 * 1000;

/** Tokens for requests. Requests that need a new one at the same time share it. */
export class Login {

    readonly #source: TokenSource | null;
    readonly #isRenewable: boolean;
    readonly #isPassword: boolean;
    readonly #now: () => number;
    #token: string | null = null;
    /** The token that the service no longer accepts, until there is another one. */
    #rejected: string | null = null;
    #pending: Promise<string> | null = null;
    #usedOn = 0;

    /**
     * @param create makes an access token from the password
     * @param now epoch milliseconds
     * @throws TypeError for credentials that are not complete, or of two kinds
     */
    constructor({ username, password, token }: Credentials, create: () => Promise<string>, now: () => number = Date.now) {

        if ((username === undefined) !== (password === undefined)) {
            throw new TypeError('username and password belong together');
        }

        if (username !== undefined && token !== undefined) {
            throw new TypeError('credentials are either username and password, or a token');
        }

        this.#isPassword = username !== undefined;
        this.#source = this.#isPassword ? create : typeof token === 'string' ? () => token : token ?? null;
        this.#isRenewable = typeof this.#source === 'function' && typeof token !== 'string';
        this.#now = now;
    }

    /** True when the requests have no credentials. */
    get isAnonymous(): boolean {

        return this.#source === null;
    }

    /** The token that was made from the password and is in use; null when there is none. */
    get own(): string | null {

        return this.#isPassword ? this.#token : null;
    }

    /** Returns the token for a request; null when it has no credentials. */
    async token(signal?: AbortSignal): Promise<string | null> {

        if (this.#source === null) {
            return null;
        }

        // A token that may have expired would cost an upload that cannot be sent again.
        const isIdle = this.#isPassword && this.#now() - this.#usedOn > MAX_IDLE_MS;
        const token = this.#token !== null && !isIdle ? this.#token : await abortable(this.#create(this.#source, this.#token), signal);
        this.#usedOn = this.#now();
        return token;
    }

    /** Gives a rejected token up. Returns whether the request may be sent again, with another one. */
    reject(token: string | null): boolean {

        if (token === null || !this.#isRenewable) {
            return false;
        }

        if (this.#token === token) {
            this.#rejected = token;
            this.#token = null;
        }

        return true;
    }

    /** Gives the token up; the next request makes another one. */
    forget(): void {

        this.#token = null;
    }

    #create(source: TokenSource, old: string | null): Promise<string> {

        // Ends in a later turn, thus after the assignment, even where the source throws at once.
        this.#pending ??= this.#renew(source, old).finally(() => {

            this.#pending = null;
        });
        return this.#pending;
    }

    async #renew(source: TokenSource, old: string | null): Promise<string> {

        const token = await source(this.#rejected ?? old);
        this.#token = token;
        this.#rejected = null;
        this.#usedOn = this.#now();
        return token;
    }
}
