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
import { type SharedSettingParts, sharedSetting } from './shared-setting.js';

/** Size of the RSA key, a key type that every JWT library supports. */
const BITS = 2048;

/** Both keys as JWKs. */
export interface ServiceKeyPair {
    readonly privateKey: JsonObject;
    readonly publicKey: JsonObject;
}

/** Provides the key pair. */
export class ServiceKey {

    readonly #parts: SharedSettingParts;
    readonly #name: string;
    #pair: Promise<ServiceKeyPair> | null = null;

    /** @param name of the setting with the private key as a JWK */
    constructor(db: Database, settings: SettingStore, name: string) {

        this.#parts = { db, settings };
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

        const text = await sharedSetting(this.#parts, this.#name, () => this.#generate());
        const privateKey: unknown = JSON.parse(text);
        if (!isJsonObject(privateKey)) {
            throw new Error(`the setting ${this.#name} holds no key`);
        }

        const { kty, n, e } = createPublicKey({ key: privateKey, format: 'jwk' }).export({ format: 'jwk' });
        return { privateKey, publicKey: { kty: String(kty), n: String(n), e: String(e) } };
    }

    async #generate(): Promise<string> {

        const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
        return JSON.stringify(privateKey.export({ format: 'jwk' }));
    }
}
