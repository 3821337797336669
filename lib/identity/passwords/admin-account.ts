/**
 * The administrator: a built-in principal without an object, whose password is set at the first start.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.js';
import { badRequest } from '../../errors/errors.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { PasswordHasher } from './password-hasher.js';
import type { AccessTokens } from '../tokens/access-tokens.js';

/** Minimum length of the password in characters, as for the type User. */
const MIN_LENGTH = 8;

/** The configured initial password is not acceptable. */
export class FirstPasswordError extends Error {

    constructor(message: string) {

        super(message);
        this.name = 'FirstPasswordError';
    }
}

const PASSWORD_BYTES = 15;
const SET_BEFORE = 'identity:admin-password';

/** Manages the administrator's password. */
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
     * Validates the configured initial password, before anything is created. Has no effect after the first start.
     *
     * @throws FirstPasswordError if it is not acceptable
     */
    async checkFirst(configured: string | null | undefined): Promise<void> {

        const isBad = typeof configured === 'string' && (configured.length < MIN_LENGTH || configured.includes('\0'));
        if (isBad && await this.#credentials.get(ADMIN_ID) === null) {
            throw new FirstPasswordError(`the password of admin for the first start must have at least ${MIN_LENGTH} characters, and NUL is none of them`);
        }
    }

    /** Logs a warning, in the background, if the configured password is not the one in use. */
    warnIfIgnored(configured: string | null | undefined, log: Logger): void {

        this.#isIgnored(configured).then((isIgnored) => {

            if (isIgnored) {
                log.warn({ event: 'identity.admin-password-ignored' }, 'ADMIN_PASSWORD ignored: it is used at the first start only, see set-admin-password');
            }
        }, (error: unknown) => log.debug({ event: 'identity.admin-password-unchecked', err: error }, 'failed to compare ADMIN_PASSWORD'));
    }

    async #isIgnored(configured: string | null | undefined): Promise<boolean> {

        const record = typeof configured === 'string' ? await this.#credentials.get(ADMIN_ID) : null;
        return typeof configured === 'string' && record !== null && !(await this.#passwords.check(configured, record, ADMIN_ID)).matches;
    }

    /**
     * Sets the password at the first start; later the configured one has no effect. To be called when nothing else of the start can fail.
     *
     * @returns the password if it was generated, to be shown once and never stored
     */
    async ensure(configured: string | null | undefined): Promise<string | null> {

        if (await this.#credentials.get(ADMIN_ID) !== null) {
            return null;
        }

        const password = configured ?? randomBytes(PASSWORD_BYTES).toString('base64url');
        const record = await this.#passwords.hash(password, ADMIN_ID);
        return await this.#insert(record) && !configured ? password : null;
    }

    /** Stores the first record; false if there is one already. Where the response to the commit is lost, what is stored counts. */
    async #insert(record: string): Promise<boolean> {

        try {
            const { ok } = await this.#db.commit({ steps: this.#credentials.insertSteps(ADMIN_ID, record, SET_BEFORE) });
            return ok;
        }
        catch (error) {
            if (await this.#credentials.get(ADMIN_ID).catch(() => null) === record) {
                return true;
            }

            throw error;
        }
    }

    /**
     * Changes the password and revokes all tokens of the administrator. Does nothing if it is the current password, since
     * deployments set it at each start.
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

/** Checks that a new password is not empty; types define further rules. @throws DoipError 400 */
export function checkNewPassword(password: string): void {

    if (password === '') {
        throw badRequest('Password does not meet minimum length of 1');
    }
}

/** 400: the new password equals the old one. */
export function samePassword(): Error {

    return badRequest('New password can not be the same as previous password.');
}
