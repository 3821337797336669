/**
 * The administrator: one built-in principal without an object, whose password is made at the first start.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.js';
import { badRequest } from '../../errors/errors.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { PasswordHasher } from './password-hasher.js';
import type { AccessTokens } from '../tokens/access-tokens.js';

/** Characters that the password has at least, as those of the type User. */
const MIN_LENGTH = 8;

/** A password that the service was told to begin with and that cannot be. */
export class FirstPasswordError extends Error {

    constructor(message: string) {

        super(message);
        this.name = 'FirstPasswordError';
    }
}

const PASSWORD_BYTES = 15;
const SET_BEFORE = 'identity:admin-password';

/** Keeps the administrator's password. */
export class AdminAccount {

    readonly #db: Database;
    readonly #credentials: CredentialStore;
    readonly #passwords: PasswordHasher;
    readonly #tokens: AccessTokens;

    constructor(parts: { db: Database; credentials: CredentialStore; passwords: PasswordHasher; tokens: AccessTokens }) {

        this.#db = parts.db;
        this.#credentials = parts.credentials;
        this.#passwords = parts.passwords;
        this.#tokens = parts.tokens;
    }

    /**
     * Looks at the password for the first start, before anything is made; afterwards what is given has no effect.
     *
     * @throws FirstPasswordError for one that cannot be
     */
    async checkFirst(given: string | null | undefined): Promise<void> {

        const isBad = typeof given === 'string' && (given.length < MIN_LENGTH || given.includes('\0'));
        if (isBad && await this.#credentials.get(ADMIN_ID) === null) {
            throw new FirstPasswordError(`the password of admin for the first start must have at least ${MIN_LENGTH} characters, and NUL is none of them`);
        }
    }

    /** Tells, in the background, of a password that is given and not the one that counts. */
    warnIfIgnored(given: string | null | undefined, log: Logger): void {

        this.#isIgnored(given).then((isIgnored) => {

            if (isIgnored) {
                log.warn('ADMIN_PASSWORD is not the password of admin: it counts at the first start only, set-admin-password changes it');
            }
        }, (error: unknown) => log.debug({ err: error }, 'whether ADMIN_PASSWORD is the password of admin was not found out'));
    }

    async #isIgnored(given: string | null | undefined): Promise<boolean> {

        const record = typeof given === 'string' ? await this.#credentials.get(ADMIN_ID) : null;
        return typeof given === 'string' && record !== null && !(await this.#passwords.check(given, record, ADMIN_ID)).matches;
    }

    /**
     * Sets the password at the first start; afterwards what is given has no effect.
     *
     * @returns the password when it was made up, to be shown once and never stored
     */
    async ensure(given: string | null | undefined): Promise<string | null> {

        if (await this.#credentials.get(ADMIN_ID) !== null) {
            return null;
        }

        const password = given ?? randomBytes(PASSWORD_BYTES).toString('base64url');
        const record = await this.#passwords.hash(password, ADMIN_ID);
        const result = await this.#db.commit({ steps: this.#credentials.insertSteps(ADMIN_ID, record, SET_BEFORE) });
        return result.ok && !given ? password : null;
    }

    /**
     * Changes the password and ends all tokens of the administrator. With the one in use nothing changes, because deployments set it
     * at each start.
     *
     * @throws DoipError 400 for a password that is too short or too long
     */
    async changePassword(password: string): Promise<void> {

        checkNewPassword(password);
        const { matches } = await this.#passwords.check(password, await this.#credentials.get(ADMIN_ID), ADMIN_ID);
        if (matches) {
            return;
        }

        if (password.length < MIN_LENGTH) {
            throw badRequest(`Password is too short. Min length ${MIN_LENGTH} characters`);
        }

        const record = await this.#passwords.hash(password, ADMIN_ID);
        await this.#db.commit({ steps: [...this.#credentials.putSteps(ADMIN_ID, record), ...this.#tokens.revokeAllSteps(ADMIN_ID)] });
    }
}

/** Requires a new password that is one at all; longer minimums are the business of types. */
export function checkNewPassword(password: string): void {

    if (password === '') {
        throw badRequest('Password does not meet minimum length of 1');
    }
}

/** 400: a change that is none. */
export function samePassword(): Error {

    return badRequest('New password can not be the same as previous password.');
}
