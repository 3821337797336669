/**
 * Steps that store hashed secrets, and their transfer between repositories, together with their objects, by the administrator's export
 * and import.
 */

import type { Step } from '../../../db/database.js';
import { badRequest } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { TokenStore } from '../../stores/token-store.js';
import { parseRecord } from '../passwords/password-hash.js';

/** Key of a secure property: the SHA-256 of its JSON pointer. */
const KEY = /^[0-9a-f]{64}$/;

/** Exports and restores hashed secrets. Form: `password`, a record, and `properties`, a record per key. */
export class SecretTransfer {

    readonly #accounts: AccountStore;
    readonly #credentials: CredentialStore;
    readonly #tokens: TokenStore;

    constructor(parts: { accounts: AccountStore; credentials: CredentialStore; tokens: TokenStore }) {

        this.#accounts = parts.accounts;
        this.#credentials = parts.credentials;
        this.#tokens = parts.tokens;
    }

    /** Returns the secrets of at most 256 objects by id; objects without secrets are absent. */
    async of(ids: readonly string[]): Promise<Map<string, JsonObject>> {

        const found = new Map<string, JsonObject>();
        for (const [id, record] of await this.#credentials.recordsOf(ids)) {
            found.set(id, { password: JSON.parse(record) as JsonValue });
        }

        for (const { objectId, key, record } of await this.#credentials.secretsOf(ids)) {
            const secrets = found.get(objectId) ?? {};
            const properties = isJsonObject(secrets['properties']) ? secrets['properties'] : {};
            found.set(objectId, { ...secrets, properties: { ...properties, [key]: JSON.parse(record) as JsonValue } });
        }

        return found;
    }

    /**
     * Returns steps that restore the secrets of an object. For an existing user they also revoke all tokens.
     *
     * @throws DoipError 400 if the secrets are malformed
     */
    steps(id: string, isNew: boolean, secrets: JsonValue): Step[] {

        if (!isJsonObject(secrets)) {
            throw badRequest('secrets must be a JSON object');
        }

        const { password, properties = {} } = secrets;
        if (!isJsonObject(properties) || !Object.keys(properties).every((key) => KEY.test(key))) {
            throw badRequest('secrets.properties must have keys of 64 hexadecimal digits');
        }

        return [
            ...password === undefined ? [] : this.#credentials.putSteps(id, checked(password)),
            ...password === undefined || isNew ? [] : [...this.#tokens.removeOfUserSteps(id), this.#accounts.bumpStep()],
            ...Object.entries(properties).flatMap(([key, record]) => this.#credentials.putSecretSteps(id, key, checked(record)))
        ];
    }
}

function checked(record: JsonValue): string {

    const text = JSON.stringify(record);
    if (!parseRecord(text)) {
        throw badRequest('secrets hold a record that is no hash of a secret');
    }

    return text;
}
