/**
 * Extracts passwords and other secure values from content before it is stored, returned, indexed or logged. The empty string is
 * left in their place; hashes are stored in rows of their own, in the unit of the object.
 */

import type { Step } from '../../../db/database.js';
import { badRequest } from '../../errors/errors.js';
import { setAt } from '../../json/pointer.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { secretKey, type CredentialStore } from '../../stores/credential-store.js';
import type { AccountAnnotations, AnnotatedValue } from '../../model/account-annotations.js';
import { isAccount } from '../../model/account-annotations.js';
import type { PasswordHasher } from '../passwords/password-hasher.js';
import type { SecretTransfer } from './secret-transfer.js';

/** Content that is about to be stored. */
export interface SecretBearer {
    /** Id of the object. */
    readonly id: string;
    /** True if the object is created. */
    readonly isNew: boolean;
    readonly content: JsonObject;
    readonly roles: AccountAnnotations;
    /** Key for fair scheduling of the hashing. */
    readonly source: string;
}

/** Content without secrets, and the steps that store their hashes. */
export interface ExtractedContent {
    readonly content: JsonObject;
    readonly steps: readonly Step[];
    /** The hashes in the form of `secret-transfer.ts`, for storing them later; absent if there are none. */
    readonly secrets?: JsonObject;
}

/** Maximum number of new secrets per write; hashing one takes some 0.1 s of CPU time. */
const MAX_SECRETS = 16;

/** Extracts secrets from content and verifies them later. */
export class SecretExtractor {

    readonly #credentials: CredentialStore;
    readonly #passwords: PasswordHasher;
    readonly #transfer: SecretTransfer;

    constructor(credentials: CredentialStore, passwords: PasswordHasher, transfer: SecretTransfer) {

        this.#credentials = credentials;
        this.#passwords = passwords;
        this.#transfer = transfer;
    }

    /**
     * Replaces all secrets of content by empty strings and hashes the new ones. An empty secret leaves the stored hash
     * unchanged. A new password revokes all tokens and sessions of the user.
     *
     * @throws DoipError 400 if a secret is not a string, if there are too many, or if an object is created with an empty
     *   password; 429 if too many hashes are queued
     */
    async extract({ id, isNew, content, roles, source }: SecretBearer): Promise<ExtractedContent> {

        const emptied = this.emptied(isNew, content, roles);
        const secrets: JsonObject = {};
        const properties: JsonObject = {};
        const { password } = roles;
        if (password && textOf(password) !== '') {
            secrets['password'] = JSON.parse(await this.#passwords.hash(textOf(password), source)) as JsonValue;
        }

        for (const marked of besidePassword(roles).filter((one) => textOf(one) !== '')) {
            properties[secretKey(marked.pointer)] = JSON.parse(await this.#passwords.hash(textOf(marked), source)) as JsonValue;
            secrets['properties'] = properties;
        }

        const steps = this.#transfer.steps(id, isNew, secrets);
        return { content: emptied, steps, ...steps.length > 0 ? { secrets } : {} };
    }

    /**
     * Returns content with empty strings in place of all secrets.
     *
     * @throws DoipError 400 as {@link extract}
     */
    emptied(isNew: boolean, content: JsonObject, roles: AccountAnnotations): JsonObject {

        this.check(isNew, roles);
        const { password } = roles;
        // Each change copies the parent of the value, so values that are empty already, of which there may be thousands, are left out.
        return [...password ? [password] : [], ...besidePassword(roles)].filter((one) => textOf(one) !== '').reduce(withoutValue, content);
    }

    /**
     * Returns the steps that delete hashes which are stored under the id of an object, but are not its own: they must come before those that store
     * its own ones.
     */
    leftOverSteps(id: string, isNew: boolean, roles: AccountAnnotations): Step[] {

        return [
            ...isAccount(roles) ? this.#credentials.removeWithoutAccountSteps(id) : [],
            ...isNew ? this.#credentials.removeSecretsSteps(id) : []
        ];
    }

    /** Compares a secret with the stored hash for a JSON pointer in an object; false if there is none. For scripts. */
    async verify(objectId: string, pointer: string, secret: string): Promise<boolean> {

        const record = await this.#credentials.getSecret(objectId, pointer);
        return (await this.#passwords.check(secret, record, objectId)).matches;
    }

    /**
     * Validates the secrets of content without extracting them.
     *
     * @throws DoipError 400 as {@link extract}
     */
    check(isNew: boolean, roles: AccountAnnotations): void {

        const { password } = roles;
        const secure = besidePassword(roles);
        if (password && typeof password.value !== 'string') {
            throw badRequest(`${password.pointer}: a password must be a string`);
        }

        if (isNew && password?.value === '') {
            throw badRequest('Password does not meet minimum length of 1');
        }

        if (secure.some(({ value }) => typeof value !== 'string')) {
            throw badRequest('The "secureProperty" flag can only be used on properties of type "string".');
        }

        if (secure.filter(({ value }) => value !== '').length > MAX_SECRETS) {
            throw badRequest(`an object may bring at most ${MAX_SECRETS} new values of secure properties at a time`);
        }
    }
}

function besidePassword({ password, secure }: AccountAnnotations): readonly AnnotatedValue[] {

    return secure.filter(({ pointer }) => pointer !== password?.pointer);
}

function textOf({ value }: AnnotatedValue): string {

    return typeof value === 'string' ? value : '';
}

function withoutValue(content: JsonObject, { pointer }: AnnotatedValue): JsonObject {

    const emptied: JsonValue = setAt(content, pointer, '');
    return isJsonObject(emptied) ? emptied : {};
}
