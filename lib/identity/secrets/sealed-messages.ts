/**
 * Messages of the service to itself that travel by way of browsers: encrypted, so that nobody else reads, makes or changes them (JWE, A256GCM). They
 * end after a time, and one for a purpose is of no use for another. All nodes share the key.
 */

import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../util/json-types.js';
import { type SharedSettingParts, sharedSetting } from './shared-setting.js';

const SETTING = 'identity.message-key';
const KEY_BYTES = 32;

/** Maximum length of a message in characters. */
const MAX_LENGTH = 8192;

/** Seals and opens messages. */
export class SealedMessages {

    readonly #parts: SharedSettingParts;
    readonly #now: () => number;
    #key: Promise<Uint8Array> | null = null;

    constructor(parts: SharedSettingParts, now: () => number) {

        this.#parts = parts;
        this.#now = now;
    }

    /** Returns a message as text of letters, digits, `-`, `_` and `.`. */
    async seal(purpose: string, message: JsonObject, lifetimeMs: number): Promise<string> {

        const { EncryptJWT } = await import('jose');            // loaded on first use
        return await new EncryptJWT({ message }).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).setAudience(purpose)
            .setExpirationTime(Math.ceil((this.#now() + lifetimeMs) / 1000)).encrypt(await this.#keyOf());
    }

    /** Returns the message; null if it is not one of this service for the purpose, or has expired. */
    async open(purpose: string, sealed: string): Promise<JsonObject | null> {

        if (sealed.length > MAX_LENGTH) {
            return null;
        }

        const { errors, jwtDecrypt } = await import('jose');
        const key = await this.#keyOf();
        try {
            const { payload } = await jwtDecrypt(sealed, key, {
                audience: purpose, currentDate: new Date(this.#now()), requiredClaims: ['exp'],
                keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM']
            });
            return payload['message'] as JsonObject;
        }
        catch (error) {
            if (error instanceof errors.JOSEError || error instanceof TypeError) {
                return null;
            }

            throw error;
        }
    }

    #keyOf(): Promise<Uint8Array> {

        this.#key ??= sharedSetting(this.#parts, SETTING, () => Promise.resolve(randomBytes(KEY_BYTES).toString('base64url')))
            .then((text) => Buffer.from(text, 'base64url')).catch((error: unknown) => {

                this.#key = null;
                throw error;
            });
        return this.#key;
    }
}
