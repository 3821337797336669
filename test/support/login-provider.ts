/**
 * A real OpenID Connect provider on a port of this machine, whose people log in without a password, and a program and a browser that get
 * tokens from it.
 */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK } from 'jose';
import type { JsonObject } from '../../lib/util/json-types.js';

/** The service for which the tokens are. */
export const AUDIENCE = 'https://repository.example.org';

const REDIRECT = 'http://127.0.0.1/callback';
export const SECRET = 'secret of the program';

/** A provider under test. */
export interface TestProvider {
    readonly issuer: string;
    /** Number of requests for its keys. */
    readonly requests: { keys: number; discovery: number };
    /** While true it answers nothing but 500. */
    isDown: boolean;
    /** What answers instead of the provider, by path. */
    readonly instead: Map<string, RequestListener>;
    /** Headers of all its responses, besides its own. */
    readonly headers: Map<string, string>;
    /** A token of the client `program`, by its secret. */
    programToken(): Promise<string>;
    /** A token of a person, by authorisation code with PKCE through the pages of the provider. */
    personToken(person: string): Promise<string>;
    /** Lets browsers log in at a service: at the client `browser`, which has no secret, and at `confidential`, whose secret is {@link SECRET}. */
    allow(redirectUri: string): Promise<void>;
    /** Follows a browser from an address of the provider through its pages, until it is sent back to an address that begins with `end`. */
    browse(start: string, end: string, person: string): Promise<URL>;
    /** Any claims, signed with a key of the provider; those of a valid token of `person` unless told otherwise. */
    sign(claims?: JsonObject, header?: JsonObject): Promise<string>;
    /** Replaces its key by a new one. */
    rotate(): Promise<void>;
    stop(): Promise<void>;
}

interface SigningKey {
    readonly kid: string;
    readonly privateKey: CryptoKey;
    readonly jwk: JWK;
}

/** Starts a provider. `claims` are those of its people by name. */
export async function startProvider(claims: Readonly<Record<string, JsonObject>> = {}): Promise<TestProvider> {

    const { SignJWT } = await import('jose');
    const requests = { keys: 0, discovery: 0 };
    let listener: RequestListener = () => {};
    const server = createServer((request, response) => {

        requests.keys += request.url === '/jwks' ? 1 : 0;
        requests.discovery += request.url?.startsWith('/.well-known') ? 1 : 0;
        if (provider.isDown) {
            response.writeHead(500).end();
            return;
        }

        provider.headers.forEach((value, name) => response.setHeader(name, value));
        (provider.instead.get(request.url ?? '') ?? listener)(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let key = await newKey();
    const redirects: string[] = [];
    const open = async (): Promise<void> => {

        listener = await providerOf(issuer, key, claims, redirects);
    };

    const provider: TestProvider = {
        issuer, requests, isDown: false, instead: new Map(), headers: new Map(),
        programToken: () => tokenOf(issuer, new URLSearchParams({ grant_type: 'client_credentials' })),
        personToken: (person) => logIn(issuer, person),
        browse: (start, end, person) => browse(new URL(start), end, person),
        async allow(redirectUri) {

            redirects.push(redirectUri);
            await open();
        },
        sign: (more = {}, header = {}) => {

            const now = Math.floor(Date.now() / 1000);
            return new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'person', exp: now + 300, iat: now, ...more })
                .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey);
        },
        async rotate() {

            key = await newKey();
            await open();
        },
        async stop() {

            server.close();
            server.closeAllConnections();
            await once(server, 'close');
        }
    };
    await open();
    return provider;
}

/** Answers with JSON that does not end; `sent` counts its bytes. */
export function flood(sent: { bytes: number }): RequestListener {

    const chunk = Buffer.alloc(65_536, ' ');
    return (request, response) => {

        request.resume();
        response.writeHead(200, { 'content-type': 'application/json' });
        const write = (): void => {

            sent.bytes += chunk.length;
            if (!response.destroyed) {
                response.write(chunk, () => setImmediate(write));
            }
        };

        write();
    };
}

async function newKey(): Promise<SigningKey> {

    const { exportJWK, generateKeyPair } = await import('jose');
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const kid = randomBytes(6).toString('hex');
    return { kid, privateKey, jwk: { ...await exportJWK(privateKey), kid, alg: 'RS256', use: 'sig' } };
}

async function providerOf(
    issuer: string, { jwk }: SigningKey, claims: Readonly<Record<string, JsonObject>>, redirects: readonly string[]
): Promise<RequestListener> {

    const { default: Provider } = await import('oidc-provider');
    const provider = new Provider(issuer, {
        jwks: { keys: [jwk] },
        cookies: { keys: ['secret of the cookies'] },
        clients: [{
            client_id: 'program', client_secret: SECRET, redirect_uris: [REDIRECT], grant_types: ['authorization_code', 'client_credentials'], response_types: ['code'],
            application_type: 'native'
        }, {
            client_id: 'browser', redirect_uris: [REDIRECT, ...redirects], response_types: ['code'], application_type: 'native', token_endpoint_auth_method: 'none'
        }, {
            client_id: 'confidential', client_secret: SECRET, redirect_uris: [REDIRECT, ...redirects], response_types: ['code'], application_type: 'native'
        }],
        scopes: ['openid', 'profile'],
        claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
        conformIdTokenClaims: false,
        findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId, ...claims[accountId] }) }),
        extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => claims[accountId ?? 'program'] ?? {},
        features: {
            clientCredentials: { enabled: true },
            devInteractions: { enabled: true },
            resourceIndicators: {
                enabled: true,
                defaultResource: (_context: unknown, client: { clientId: string }) => (client.clientId === 'program' ? AUDIENCE : []),
                useGrantedResource: () => true,
                getResourceServerInfo: () => ({ scope: 'store', audience: AUDIENCE, accessTokenTTL: 600, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } })
            }
        }
    });
    return provider.callback();
}

async function tokenOf(issuer: string, body: URLSearchParams): Promise<string> {

    const authorization = `Basic ${Buffer.from(`program:${encodeURIComponent(SECRET)}`).toString('base64')}`;
    const response = await fetch(`${issuer}/token`, { method: 'POST', body, headers: { authorization } });
    const { access_token: token, ...rest } = await response.json() as Record<string, unknown>;
    if (typeof token !== 'string') {
        throw new Error(`no token: ${JSON.stringify(rest)}`);
    }

    return token;
}

async function logIn(issuer: string, person: string): Promise<string> {

    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
        client_id: 'program', response_type: 'code', redirect_uri: REDIRECT, scope: 'openid store', resource: AUDIENCE, state: 'x',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256'
    });
    const next = await browse(new URL(`${issuer}/auth?${query.toString()}`), REDIRECT, person);
    const code = next.searchParams.get('code') ?? '';
    return tokenOf(issuer, new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier, resource: AUDIENCE }));
}

/** Goes through the pages of the provider as a browser does: redirects, cookies and two forms. */
async function browse(start: URL, end: string, person: string): Promise<URL> {

    const cookies = new Map<string, string>();
    const forms = [{ prompt: 'login', login: person, password: 'any' }, { prompt: 'consent' }];
    let next = start;
    let form: Record<string, string> | null = null;
    while (!next.href.startsWith(end)) {
        const response: Response = await fetch(next, {
            redirect: 'manual', method: form ? 'POST' : 'GET', body: form ? new URLSearchParams(form) : null,
            headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
        });
        for (const cookie of response.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
            cookies.set(name, value);
        }

        const location = response.headers.get('location');
        await response.body?.cancel();
        form = location === null ? forms.shift() ?? null : null;
        if (location === null && !form) {
            throw new Error(`the provider answers ${next.href} with ${response.status}`);
        }

        next = location === null ? next : new URL(location, next);
    }

    return next;
}
