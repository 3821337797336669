/**
 * Logins of browsers at OpenID Connect providers: authorisation code with PKCE, by `openid-client`. Nothing is stored meanwhile: what the service has
 * to know when the browser comes back is sealed in a cookie.
 *
 * The browser comes back with a code of this service, which it exchanges for an access token. As the page that begins the login also proves itself by
 * PKCE, a code is worth nothing to others, and nobody can be logged in as somebody else by a link.
 */

import { randomBytes } from 'node:crypto';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Logger } from 'pino';
import type { BrowserLogin, LoginProvider } from '../../config/login-providers.js';
import { badRequest, notFound, unauthenticated, unavailable } from '../../errors/errors.js';
import type { LoginStore } from '../../stores/login-attempt-store.js';
import type { JsonObject } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { digestOf } from '../tokens/digest.js';
import type { SealedMessages } from '../secrets/sealed-messages.js';
import type { LoginProviders } from './login-providers.js';
import { claimOf, type ProvidedUser, userOf } from './provided-user.js';
import { readAnswer } from './hook-authenticator.js';
import { fetchProvider } from './provider-fetch.js';

/** A login that begins. */
export interface LoginRequest {
    readonly provider: string;
    /** Path of this service to which the browser returns. */
    readonly returnTo: string;
    /** PKCE of the page that begins the login: SHA-256 of its verifier in base64url. */
    readonly codeChallenge: string;
    /** Where the provider sends the browser. */
    readonly redirectUri: string;
}

/** Where the browser goes to log in, and the cookie that it needs when it comes back. */
export interface BegunLogin {
    readonly location: string;
    readonly state: string;
    readonly cookie: string;
    readonly maxAgeSeconds: number;
}

/** What the browser brings back from the provider. */
export interface LoginResponse {
    /** The provider to which the address belongs that the browser came back to. */
    readonly provider: string;
    /** Query of the address to which the provider has sent it. */
    readonly query: string;
    readonly cookie: string;
    readonly redirectUri: string;
}

/** Dependencies. */
export interface BrowserLoginParts {
    readonly logins: LoginStore;
    readonly providers: Pick<LoginProviders, 'checkIdToken'>;
    readonly messages: SealedMessages;
    readonly log: Logger;
    readonly now: () => number;
}

type Provider = LoginProvider & { readonly browser: BrowserLogin };

/** What the service has to know when the browser comes back. */
interface PendingLogin {
    readonly provider: string;
    readonly state: string;
    readonly nonce: string;
    readonly verifier: string;
    readonly returnTo: string;
    readonly codeChallenge: string;
}

const STATE = 'login-state';
const CODE = 'login-code';
const STATE_MS = 15 * 60_000;
const CODE_MS = 60_000;

/** Time limit of a request to the provider, in seconds, and time for which its discovery document is used, in ms. */
const TIMEOUT_SECONDS = 5;
const DISCOVERED_MS = 600_000;

/** Time in ms after a failed attempt to read it. */
const FAILED_MS = 5000;
const RETRY_AFTER = 10;

/** Codes of errors with which a provider, or a proxy before it, has not answered the request. */
const UNREADABLE: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR']);

/** Performs logins of browsers. */
export class BrowserLogins {

    readonly #providers: ReadonlyMap<string, Provider>;
    readonly #parts: BrowserLoginParts;
    readonly #configurations = new Map<string, { readonly until: number; readonly found: Promise<Configuration> }>();

    constructor(providers: readonly LoginProvider[], parts: BrowserLoginParts) {

        this.#providers = new Map(providers.flatMap((provider) => (hasBrowserLogin(provider) ? [[provider.name, provider]] : [])));
        this.#parts = parts;
    }

    /** Returns the providers at which browsers can log in. */
    list(): { readonly name: string; readonly title: string }[] {

        return [...this.#providers.values()].map(({ name, title }) => ({ name, title }));
    }

    /** Begins a login. @throws DoipError 404 for an unknown provider, 400 for an invalid request, 503 if the provider cannot be reached */
    async begin({ provider: name, returnTo, codeChallenge, redirectUri }: LoginRequest): Promise<BegunLogin> {

        const provider = this.#providers.get(name);
        if (!provider) {
            throw notFound('there is no such login provider for browsers');
        }

        if (!isLocalPath(returnTo)) {
            throw badRequest('returnTo must be a path of this service, such as /');
        }

        if (!/^[\w-]{43}$/.test(codeChallenge)) {
            throw badRequest('codeChallenge must be the SHA-256 hash of the code verifier in base64url');
        }

        const { buildAuthorizationUrl } = await import('openid-client');
        const configuration = await this.#configurationOf(provider);
        const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
        const pending: PendingLogin = { provider: name, state, nonce, verifier, returnTo, codeChallenge };
        const location = buildAuthorizationUrl(configuration, {
            redirect_uri: redirectUri, scope: provider.browser.scope, state, nonce, code_challenge: digestOf(verifier), code_challenge_method: 'S256'
        });
        return {
            location: location.href, state, maxAgeSeconds: STATE_MS / 1000,
            cookie: await this.#parts.messages.seal(STATE, { ...pending }, STATE_MS)
        };
    }

    /**
     * Completes a login.
     *
     * @returns the path to which the browser returns, with the parameter `login_code`, or with `login_error` if the person or the provider has declined
     * @throws DoipError 400 if this browser has not begun the login at the provider, or has completed it, 401 if the provider does not identify a user, 503
     */
    async complete({ provider: name, query, cookie, redirectUri }: LoginResponse): Promise<string> {

        const { logins, messages, now } = this.#parts;
        const pending = await messages.open(STATE, cookie) as PendingLogin | null;
        // Each provider has an address of its own: one that forwards people to another one must not get the code of that (mix-up, RFC 9700).
        const provider = pending?.provider === name ? this.#providers.get(name) : undefined;
        const parameters = new URLSearchParams(query);
        if (!pending || !provider || parameters.get('state') !== pending.state || !await logins.useOnce(digestOf(`${STATE} ${pending.state}`), now() + STATE_MS)) {
            throw badRequest('this login has expired, or was not begun in this browser: log in again');
        }

        if (parameters.has('error')) {
            this.#parts.log.info({ event: 'identity.login-declined', provider: provider.name, error: parameters.get('error')?.slice(0, 100) }, 'login declined');
            return withParameter(pending.returnTo, 'login_error', parameters.get('error') === 'access_denied' ? 'access_denied' : 'failed');
        }

        const { userId, answer } = await this.#identify(provider, new URL(`${redirectUri}?${query}`), pending);
        const code = await messages.seal(CODE, {
            provider: provider.name, userId, answer: { ...answer, groupIds: [] }, groups: sealGroups(provider, answer.groupIds),
            codeChallenge: pending.codeChallenge, id: randomText()
        }, CODE_MS);
        return withParameter(pending.returnTo, 'login_code', code);
    }

    /** Returns the user of a code, once; null if it is wrong, was used or has expired, or the verifier is not that of its page. */
    async redeem(code: string, codeVerifier: string): Promise<ProvidedUser | null> {

        const { logins, messages, now } = this.#parts;
        const found = await messages.open(CODE, code);
        if (!found || found['codeChallenge'] !== digestOf(codeVerifier) || !await logins.useOnce(digestOf(`${CODE} ${found['id'] as string}`), now() + 2 * CODE_MS)) {
            return null;
        }

        const { userId, answer, groups } = found;
        const provider = this.#providers.get(found['provider'] as string);
        const groupIds = provider ? openGroups(provider, groups as string) : null;
        const { expiresOn, ...members } = isJsonObject(answer) ? answer : {};
        return groupIds && { userId: userId as string, answer: { ...readAnswer({ ...members, groupIds }), expiresOn: Number(expiresOn) } };
    }

    /** Exchanges the code of the provider for claims about the user. */
    async #identify(provider: Provider, address: URL, { nonce, state, verifier }: PendingLogin): Promise<ProvidedUser> {

        const { authorizationCodeGrant } = await import('openid-client');
        const configuration = await this.#configurationOf(provider);
        const { claims, idToken } = await this.#request(provider, async () => {

            const tokens = await authorizationCodeGrant(configuration, address, {
                pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state, idTokenExpected: true
            });
            const ofToken = tokens.claims() as unknown as JsonObject;
            const more = await this.#moreClaims(provider, configuration, tokens.access_token, ofToken);
            return { claims: { ...more, ...ofToken }, idToken: tokens.id_token ?? '' };
        });
        await this.#parts.providers.checkIdToken(idToken, provider, provider.browser.clientId);
        return userOf(provider, { ...claims, exp: Math.floor(this.#parts.now() / 1000) + provider.browser.sessionSeconds });
    }

    /** Returns the claims of the UserInfo endpoint, if the ID token lacks some that count. */
    async #moreClaims({ idClaim, usernameClaim, groupsClaim }: Provider, configuration: Configuration, accessToken: string, claims: JsonObject): Promise<JsonObject> {

        const isComplete = [idClaim, usernameClaim, groupsClaim].every((claim) => claimOf(claims, claim) !== undefined);
        if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
            return {};
        }

        const { fetchUserInfo } = await import('openid-client');
        return await fetchUserInfo(configuration, accessToken, claims['sub'] as string) as unknown as JsonObject;
    }

    /** Performs requests to a provider: 401 for what it does not accept, 503 if it cannot be reached. */
    async #request<T>(provider: Provider, request: () => Promise<T>): Promise<T> {

        const { AuthorizationResponseError, ClientError, ResponseBodyError } = await import('openid-client');
        try {
            return await request();
        }
        catch (error) {
            const code = error instanceof ClientError || error instanceof ResponseBodyError ? error.code : undefined;
            // Without a code, a response was not received as a whole.
            const isUnreachable = !(error instanceof ClientError || error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) ||
                error instanceof ClientError && (code === undefined || UNREADABLE.has(code)) || error instanceof ResponseBodyError && error.status >= 500;
            if (isUnreachable) {
                throw this.#unreachable(provider, error);
            }

            throw unauthenticated('Authentication failed', { reason: `login at ${provider.name}: ${(error as Error).message}` });
        }
    }

    #configurationOf(provider: Provider): Promise<Configuration> {

        const cached = this.#configurations.get(provider.name);
        if (cached && performance.now() < cached.until) {
            return cached.found;
        }

        const found = discover(provider).catch((error: unknown) => {

            // For some seconds no other request is made, whatever browsers ask for.
            this.#configurations.set(provider.name, { found, until: performance.now() + FAILED_MS });
            throw this.#unreachable(provider, error);
        });
        this.#configurations.set(provider.name, { found, until: performance.now() + DISCOVERED_MS });
        return found;
    }

    #unreachable({ name }: Provider, error: unknown): Error {

        this.#parts.log.warn({ event: 'identity.provider-failed', provider: name, err: error }, 'login provider cannot be reached');
        return unavailable(`the login provider ${name} cannot be reached`, RETRY_AFTER);
    }
}

async function discover({ issuer, browser: { clientId, clientSecret } }: Provider): Promise<Configuration> {

    const { allowInsecureRequests, ClientSecretBasic, customFetch, discovery, None } = await import('openid-client');
    return await discovery(new URL(issuer), clientId, undefined, clientSecret === null ? None() : ClientSecretBasic(clientSecret), {
        // The configuration allows http for this machine only.
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [], timeout: TIMEOUT_SECONDS,
        [customFetch]: fetchProvider as CustomFetch
    });
}

function hasBrowserLogin(provider: LoginProvider): provider is Provider {

    return provider.browser !== null;
}

/** True for a path that no browser takes for an address of another host, neither as it is nor without its dots: `/.//host` is `//host`. */
function isLocalPath(path: string): boolean {

    if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) || path.length > 2000) {
        return false;
    }

    const { host, pathname } = new URL(path, 'http://service');
    return host === 'service' && !pathname.startsWith('//');
}

/** Returns groups as bits, since codes are parts of addresses: their ids may be longer than any server accepts. */
function sealGroups({ groups }: Provider, groupIds: readonly string[]): string {

    const ids = idsOf(groups);
    const bits = Buffer.alloc(Math.ceil(ids.length / 8));
    ids.forEach((id, n) => {

        bits[n >> 3] = (bits[n >> 3] ?? 0) | (groupIds.includes(id) ? 1 << n % 8 : 0);
    });
    return `${digestOf(JSON.stringify(ids))}.${bits.toString('base64url')}`;
}

/** Returns the groups of {@link sealGroups}; null if they were sealed with other groups, by a node that is configured otherwise. */
function openGroups({ groups }: Provider, sealed: string): string[] | null {

    const ids = idsOf(groups);
    const [digest, text = ''] = sealed.split('.');
    const bits = Buffer.from(text, 'base64url');
    return digest === digestOf(JSON.stringify(ids)) ? ids.filter((_, n) => ((bits[n >> 3] ?? 0) >> n % 8 & 1) === 1) : null;
}

function idsOf(groups: Readonly<Record<string, string>>): string[] {

    return [...new Set(Object.values(groups))].sort();
}

function withParameter(path: string, name: string, value: string): string {

    const { pathname, searchParams, hash } = new URL(path, 'http://service');
    searchParams.delete('login_code');
    searchParams.delete('login_error');
    searchParams.set(name, value);
    return `${pathname}?${searchParams.toString()}${hash}`;
}

function randomText(): string {

    return randomBytes(32).toString('base64url');
}
