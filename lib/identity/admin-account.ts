/**
 * The administrator: one built-in principal without an object, whose password is made at the first start.
 */

import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/database.js';
import { badRequest } from '../doip/error.js';
import type { CredentialStore } from '../stores/credential-store.js';
import { ADMIN_ID } from './caller.js';
import type { Passwords } from './passwords.js';
import type { Tokens } from './tokens.js';

const PASSWORD_BYTES = 15;
const SET_BEFORE = 'identity:admin-password';

/** Keeps the administrator's password. */
export class AdminAccount {

    readonly #db: Database;
    readonly #credentials: CredentialStore;
    readonly #passwords: Passwords;
    readonly #tokens: Tokens;

    constructor(parts: { db: Database; credentials: CredentialStore; passwords: Passwords; tokens: Tokens }) {

        this.#db = parts.db;
        this.#credentials = parts.credentials;
        this.#passwords = parts.passwords;
        this.#tokens = parts.tokens;
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
     * @throws DoipError 400 for an empty password, or one that is too long
     */
    async changePassword(password: string): Promise<void> {

        checkNewPassword(password);
        const { matches } = await this.#passwords.check(password, await this.#credentials.get(ADMIN_ID), ADMIN_ID);
        if (matches) {
            return;
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
