/**
 * Public keys of an OpenID Connect provider: found by its discovery document, fetched when a token needs them, and again when a token names
 * an unknown key, but not more often than every half minute, whatever tokens are sent.
 */

import type { JWTVerifyGetKey } from 'jose';
import type { LoginProvider } from '../../config/login-providers.js';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { fetchProvider } from './provider-fetch.js';

/** Time limit of a request to the provider, in ms. */
const TIMEOUT = 5000;

/** Time in ms after which keys are fetched again, so that a withdrawn one ends. */
const MAX_AGE = 600_000;

/** Minimum time in ms between two requests for keys, and after a failure until the next attempt. */
const COOLDOWN = 30_000;
const RETRY_AFTER = 5000;

/** The provider cannot be asked for its keys; the cause says why. */
export class ProviderUnavailable extends Error {}

/** Keys of one provider. */
export class ProviderKeys {

    readonly #provider: LoginProvider;
    #keys: Promise<JWTVerifyGetKey> | null = null;
    #failedOn = -Infinity;
    #failure: ProviderUnavailable | null = null;

    constructor(provider: LoginProvider) {

        this.#provider = provider;
    }

    /** Returns the function that finds the key of a token. @throws ProviderUnavailable */
    async source(): Promise<JWTVerifyGetKey> {

        this.#keys ??= this.#open();
        try {
            return await this.#keys;
        }
        catch (cause) {
            this.#keys = null;
            throw this.failed(cause);
        }
    }

    /** Returns the error for a failed request; for some seconds no other one is made. Keys that are known are used all the same. */
    failed(cause: unknown): ProviderUnavailable {

        if (cause instanceof ProviderUnavailable) {
            return cause;
        }

        this.#failedOn = performance.now();
        this.#failure = new ProviderUnavailable(`the login provider ${this.#provider.name} cannot be reached`, { cause });
        return this.#failure;
    }

    async #open(): Promise<JWTVerifyGetKey> {

        const { createRemoteJWKSet, customFetch } = await import('jose');    // loaded on first use
        const uri = this.#provider.jwksUri ?? await this.#discover();
        return createRemoteJWKSet(new URL(uri), {
            timeoutDuration: TIMEOUT, cooldownDuration: COOLDOWN, cacheMaxAge: MAX_AGE, [customFetch]: (url: string, init: RequestInit) => this.#fetch(url, init)
        });
    }

    async #fetch(url: string, init: RequestInit): Promise<Response> {

        if (this.#failure && performance.now() < this.#failedOn + RETRY_AFTER) {
            throw this.#failure;
        }

        return await fetchProvider(url, init);
    }

    /** Returns `jwks_uri` of the discovery document (OpenID Connect Discovery 1.0, section 4). */
    async #discover(): Promise<string> {

        const { issuer } = this.#provider;
        const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
        const response = await this.#fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT), headers: { accept: 'application/json' } });
        const document = await response.json() as JsonValue;
        const { jwks_uri: uri, issuer: named } = isJsonObject(document) ? document : {};
        if (!response.ok || named !== issuer || typeof uri !== 'string' || !URL.canParse(uri)) {
            throw new Error(`${url} is not the discovery document of ${issuer}: status ${response.status}`);
        }

        if (issuer.startsWith('https:') && !uri.startsWith('https:')) {
            throw new Error(`${url} names keys that are not served by https`);
        }

        return uri;
    }
}
