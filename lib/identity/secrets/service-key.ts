/**
 * A key pair of the service, such as the one with which scripts sign on its behalf. Generated on first use and stored in the database, so
 * that all nodes share it.
 */

import { createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { SettingStore } from '../../stores/setting-store.js';
import { isJsonObject } from '../../util/json-types.js';

const KEY_CREATED = 'identity:service-key';

/** Size of the RSA key, a key type that every JWT library supports. */
const BITS = 2048;

/** Both keys as JWKs. */
export interface ServiceKeyPair {
    readonly privateKey: JsonObject;
    readonly publicKey: JsonObject;
}

/** Provides the key pair. */
export class ServiceKey {

    readonly #db: Database;
    readonly #settings: SettingStore;
    readonly #name: string;
    #pair: Promise<ServiceKeyPair> | null = null;

    /** @param name of the setting with the private key as a JWK */
    constructor(db: Database, settings: SettingStore, name: string) {

        this.#db = db;
        this.#settings = settings;
        this.#name = name;
    }

    /** Returns the key pair, which never changes. */
    pair(): Promise<ServiceKeyPair> {

        this.#pair ??= this.#ensure().catch((error: unknown) => {

            this.#pair = null;
            throw error;
        });
        return this.#pair;
    }

    async #ensure(): Promise<ServiceKeyPair> {

        const text = await this.#settings.get(this.#name) ?? await this.#make();
        const privateKey: unknown = JSON.parse(text);
        if (!isJsonObject(privateKey)) {
            throw new Error(`the setting ${this.#name} holds no key`);
        }

        const { kty, n, e } = createPublicKey({ key: privateKey, format: 'jwk' }).export({ format: 'jwk' });
        return { privateKey, publicKey: { kty: String(kty), n: String(n), e: String(e) } };
    }

    /** Generates and stores a key; if several nodes do so concurrently, the first one wins. */
    async #make(): Promise<string> {

        const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
        const text = JSON.stringify(privateKey.export({ format: 'jwk' }));
        const { ok } = await this.#db.commit({ steps: this.#settings.insertSteps(this.#name, text, KEY_CREATED) });
        return ok ? text : await this.#settings.get(this.#name) ?? text;
    }
}
