/**
 * Logins by tokens of OpenID Connect providers: JWTs that the provider signed for this service. Their users have ids below the name of the
 * provider, so that they are never users of this service or `admin`.
 */

import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { growingCache } from '../../util/cache/growing-cache.js';
import type { Logger } from 'pino';
import type { LoginProvider } from '../../config/login-providers.js';
import { unavailable } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';
import { readClaims } from './jwt-bearer.js';
import { digestOf } from '../tokens/digest.js';
import { isJwt } from './credentials.js';
import { type ProvidedUser, rejected, userOf } from './provided-user.js';
import { ProviderKeys, ProviderUnavailable } from './provider-keys.js';

/** A verified token. */
interface Verified {
    readonly user: ProvidedUser;
    /** Epoch ms until which it is not verified again. */
    readonly until: number;
}

/** Options. */
export interface LoginProviderOptions {
    /** The clock, in epoch milliseconds. */
    readonly now: () => number;
    readonly log: Logger;
}

const MAX_ENTRIES = 10_000;

/** Time in ms for which a verified token is not verified again: a key that the provider withdraws ends within this time. */
const VERIFIED_FOR = 300_000;

/** Tolerated difference of the clocks, in seconds. */
const CLOCK_SKEW = 30;
const RETRY_AFTER = 10;

/** Types of tokens that identify a user: not those of a logout or of other messages. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'at+jwt', 'application/at+jwt', 'jwt']);

/** Accepts tokens of the configured providers. */
export class LoginProviders {

    readonly #byIssuer: ReadonlyMap<string, { readonly provider: LoginProvider; readonly keys: ProviderKeys }>;
    readonly #options: LoginProviderOptions;
    /** Failures that were logged: requests share one for some seconds. */
    readonly #logged = new WeakSet<ProviderUnavailable>();
    readonly #verified = growingCache<string, Verified>(MAX_ENTRIES);

    constructor(providers: readonly LoginProvider[], options: LoginProviderOptions) {

        this.#byIssuer = new Map(providers.map((provider) => [provider.issuer, { provider, keys: new ProviderKeys(provider) }]));
        this.#options = options;
    }

    /** Returns the user of a token that was verified recently; null if it has to be verified. */
    recall(token: string): ProvidedUser | null {

        if (this.#byIssuer.size === 0 || !isJwt(token)) {
            return null;
        }

        const found = this.#verified.get(digestOf(token));
        return found && found.until > this.#options.now() ? found.user : null;
    }

    /**
     * Returns the user of a token; null if it is not by one of the providers.
     *
     * @throws DoipError 401 for an invalid token, 503 if the provider cannot be asked for its keys
     */
    async verify(token: string): Promise<ProvidedUser | null> {

        const issuer = this.#byIssuer.size === 0 ? undefined : readClaims(token)?.payload.iss;
        const known = typeof issuer === 'string' ? this.#byIssuer.get(issuer) : undefined;
        if (!known) {
            return null;
        }

        const { provider, keys } = known;
        const payload = await this.#payloadOf(token, provider, keys);
        const user = userOf(provider, payload as JsonObject);
        const until = Math.min(Number(payload.exp) * 1000, this.#options.now() + VERIFIED_FOR);
        this.#verified.set(digestOf(token), { user, until });
        return user;
    }

    /**
     * Checks an ID token that a browser login has brought. It came from the provider itself, but its signature is no weaker a proof than that of other tokens.
     *
     * @throws DoipError like {@link verify}
     */
    async checkIdToken(token: string, provider: LoginProvider, clientId: string): Promise<void> {

        const known = this.#byIssuer.get(provider.issuer);
        if (!known) {
            throw new Error(`${provider.name} is not one of the login providers`);
        }

        await this.#payloadOf(token, { ...provider, audience: [clientId] }, known.keys);
    }

    async #payloadOf(token: string, provider: LoginProvider, keys: ProviderKeys): Promise<JWTPayload> {

        try {
            return await verified(token, await keys.source(), provider, this.#options.now());
        }
        catch (error) {
            const reason = await refusalOf(error);
            if (reason !== null) {
                throw rejected(`token of ${provider.name}: ${reason}`);
            }

            const failure = error instanceof ProviderUnavailable ? error : keys.failed(error);
            if (!this.#logged.has(failure)) {
                this.#logged.add(failure);
                this.#options.log.warn({ event: 'identity.provider-failed', provider: provider.name, err: failure.cause }, 'login provider cannot be reached');
            }

            throw unavailable(failure.message, RETRY_AFTER);
        }
    }
}

/** Verifies signature, issuer, audience, times, type and what the token is bound to. */
async function verified(token: string, find: JWTVerifyGetKey, { issuer, audience, algorithms }: LoginProvider, now: number): Promise<JWTPayload> {

    const { errors, jwtVerify } = await import('jose');
    const options = {
        issuer, audience: [...audience], algorithms: [...algorithms], clockTolerance: CLOCK_SKEW, currentDate: new Date(now), requiredClaims: ['exp']
    };
    const { payload, protectedHeader } = await jwtVerify(token, find, options).catch(async (error: unknown) => {

        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) {
            throw error;
        }

        // The token does not name its key.
        for await (const key of error) {
            const result = await jwtVerify(token, key, options).catch((failure: unknown) => {

                if (!(failure instanceof errors.JWSSignatureVerificationFailed)) {
                    throw failure;
                }

                return null;
            });
            if (result) {
                return result;
            }
        }

        throw new errors.JWSSignatureVerificationFailed();
    });
    if (!TYPES.has(protectedHeader.typ) || payload['events'] !== undefined || payload['cnf'] !== undefined) {
        throw new errors.JWTInvalid('it is not a token for logins, or it is bound to a key');
    }

    return payload;
}

/** Returns why a token is refused; null if the provider could not be asked. */
async function refusalOf(error: unknown): Promise<string | null> {

    const { errors } = await import('jose');
    const isOfProvider = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || !(error instanceof errors.JOSEError) ||
        error.code === 'ERR_JOSE_GENERIC';
    return isOfProvider ? null : error.message;
}
