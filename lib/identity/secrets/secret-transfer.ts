/**
 * Hashed secrets on their way from one repository to another, beside the objects that they belong to. Nobody but an
 * administrator's export and import sees them.
 */

import type { Step } from '../../../db/database.js';
import { badRequest } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { TokenStore } from '../../stores/token-store.js';
import { parseRecord } from '../passwords/password-hash.js';

/** The key of a secure property: the SHA-256 of its pointer. */
const KEY = /^[0-9a-f]{64}$/;

/** Reads and restores hashed secrets. Their form: `password`, a record, and `properties`, a record for each key. */
export class SecretTransfer {

    readonly #accounts: AccountStore;
    readonly #credentials: CredentialStore;
    readonly #tokens: TokenStore;

    constructor(parts: { accounts: AccountStore; credentials: CredentialStore; tokens: TokenStore }) {

        this.#accounts = parts.accounts;
        this.#credentials = parts.credentials;
        this.#tokens = parts.tokens;
    }

    /** The secrets of some objects by their ids, at most 256; objects without any are absent. */
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
     * Steps that restore the secrets of an object. Those of a user who is there already end all of the user's tokens.
     *
     * @throws DoipError 400 for what is no secret
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
            ...Object.entries(properties).flatMap(([key, record]) => this.#credentials.putKeyedSecretSteps(id, key, checked(record)))
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
