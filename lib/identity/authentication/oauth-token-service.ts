/**
 * OAuth endpoints for access tokens (interface specification, `/auth/token`, `/auth/introspect`, `/auth/revoke`). Errors have
 * the OAuth members `error` and `error_description` besides the message.
 */

import type { DoipRequest } from '../../doip/envelope.js';
import { badRequest, DoipError, unauthenticated } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { Status } from '../../errors/status.js';
import type { CredentialStore } from '../../stores/credential-store.js';
import type { Authenticator } from './authenticator.js';
import { providerProof } from './proofs.js';
import type { BrowserLogins } from './browser-logins.js';
import type { PrincipalResolver, AuthenticationResult } from './principal-resolver.js';
import { factsOf } from './principal-resolver.js';
import type { Caller } from '../../model/caller.js';
import { ANONYMOUS } from '../../model/caller.js';
import type { JwtBearerAuthenticator } from './jwt-bearer.js';
import type { Credentials } from './credentials.js';
import { isJwt, MAX_CREDENTIAL_LENGTH } from './credentials.js';
import type { Directory } from '../accounts/user-directory.js';
import type { EdgeLimiter } from '../throttling/edge-limiter.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { StoredApiKey } from '../../stores/api-key-store.js';
import { claimsKey } from '../keys/key-value.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

type Transport = DoipRequest['transport'];

/** What a grant is requested with, besides its members. */
interface Given {
    readonly transport: Transport;
    readonly requestContext: JsonObject;
}

/** Proves the identity for a grant. */
type Prover = (epochs: Epochs, given: Given) => Promise<AuthenticationResult>;

interface Granted {
    readonly token: string;
    readonly proof: AuthenticationResult;
}

const PASSWORD = 'password';
const CODE = 'authorization_code';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const PASSWORD_CHANGED = 'identity:password-changed';

/** Issues, introspects and revokes tokens. */
export class OAuthTokenService {

    readonly #assertions: JwtBearerAuthenticator;
    readonly #authenticator: Authenticator;
    readonly #browserLogins: BrowserLogins;
    readonly #callers: PrincipalResolver;
    readonly #credentials: CredentialStore;
    readonly #directory: Directory;
    readonly #edge: EdgeLimiter;
    readonly #keys: ApiKeys;
    readonly #tokens: AccessTokens;

    constructor(parts: {
        assertions: JwtBearerAuthenticator; authenticator: Authenticator; browserLogins: BrowserLogins; callers: PrincipalResolver;
        credentials: CredentialStore; directory: Directory; edge: EdgeLimiter; keys: ApiKeys; tokens: AccessTokens;
    }) {

        this.#assertions = parts.assertions;
        this.#authenticator = parts.authenticator;
        this.#browserLogins = parts.browserLogins;
        this.#callers = parts.callers;
        this.#credentials = parts.credentials;
        this.#directory = parts.directory;
        this.#edge = parts.edge;
        this.#keys = parts.keys;
        this.#tokens = parts.tokens;
    }

    /**
     * Issues a token for a password, a signed assertion, or the code of a login by a browser.
     *
     * @param request `grant_type`, `username` and `password`, or `assertion`, or `code` and `code_verifier`
     * @throws DoipError 400 for a malformed request, 401 for wrong credentials, 403 for an insecure connection, 429
     */
    async grant(request: JsonValue | undefined, transport: Transport, requestContext: JsonObject = {}): Promise<{ token: string; caller: Caller }> {

        return inOauth(async () => {

            const members = membersOf(request);
            const prove = this.#proverOf(members);
            const rejection = this.#edge.rejects(members, transport);
            if (rejection) {
                throw rejection;
            }

            const given = { transport, requestContext };
            const granted = await this.#attempt(prove, given) ?? await this.#attemptAnew(prove, given, members);
            if (!granted) {
                throw unauthenticated('Authorization failed', { reason: 'the password was changed during the login' });
            }

            const { token, proof } = granted;
            return { token, caller: await this.#confirmed(token, proof, members) };
        });
    }

    /** Proves the identity and issues a token; null if the record of the password is another one now. */
    async #attempt(prove: Prover, given: Given): Promise<Granted | null> {

        const epochs = await this.#directory.epochs();
        const proof = await prove(epochs, given);
        await this.#callers.callerOf(proof, epochs.identity);
        const issued = await this.#issue(proof);
        return issued && { token: issued.token, proof };
    }

    /** The same without the cached login: another node may have renewed the record of the same password. */
    #attemptAnew(prove: Prover, given: Given, members: JsonObject): Promise<Granted | null> {

        this.#authenticator.forget(readGrant(members));
        return this.#attempt(prove, given);
    }

    /**
     * Returns the caller of a new token as of now. Revokes it if the user was deactivated or has another key since the credentials were verified: it was not
     * there yet when the tokens of the user were revoked.
     *
     * @throws DoipError 401
     */
    async #confirmed(token: string, proof: AuthenticationResult, { assertion }: JsonObject): Promise<Caller> {

        try {
            if (proof.method === 'key' && !await this.#assertions.isStillSigned(requiredAssertion(assertion))) {
                throw unauthenticated('Authorization failed', { reason: 'the key was changed during the login' });
            }

            const { identity } = await this.#directory.epochs();
            return await this.#callers.callerOf(proof, identity);
        }
        catch (error) {
            await this.#tokens.revoke(token);
            throw error;
        }
    }

    /** Returns what proves the identity for a grant. @throws DoipError 400 */
    #proverOf(members: JsonObject): Prover {

        if (members['grant_type'] !== CODE) {
            const credentials = readGrant(members);
            return (epochs, { transport, requestContext }) => this.#authenticator.prove({ credentials, asUserId: null, requestContext }, { transport }, epochs);
        }

        const [code, verifier] = [requiredText('code', members['code']), requiredText('code_verifier', members['code_verifier'])];
        return async (_epochs, { transport }) => {

            this.#authenticator.checkTransport(transport);
            const user = await this.#browserLogins.redeem(code, verifier);
            if (!user) {
                throw unauthenticated('Authorization failed', { reason: 'the login code is wrong, was used or has expired' });
            }

            return providerProof(user);
        };
    }

    /** Returns the caller of a token or API key; anonymous if it is empty, unknown or expired. Counts as use. */
    async introspect(request: JsonValue | undefined, transport: Transport): Promise<Caller> {

        return inOauth(async () => {

            const value = this.#tokenOf(request, transport);
            const { identity } = await this.#directory.epochs();
            try {
                return claimsKey(value) ? await this.#ofKey(value, identity) : await this.#ofToken(value, identity);
            }
            catch (error) {
                // The account is blocked or deleted, so that the token is not active.
                if (error instanceof DoipError && error.status === Status.unauthenticated) {
                    return ANONYMOUS;
                }

                throw error;
            }
        });
    }

    async #ofToken(value: string, epoch: number): Promise<Caller> {

        const found = await this.#tokens.find(value, epoch);
        return found ? await this.#callers.callerOf(this.#callers.proofOf(found, found.kind), epoch, true) : ANONYMOUS;
    }

    async #ofKey(value: string, epoch: number): Promise<Caller> {

        const key = await this.#keys.find(value, epoch);
        if (!key) {
            return ANONYMOUS;
        }

        const caller = await this.#callers.callerOf({ userId: key.stored.userId, method: 'api-key', hook: null, record: null }, epoch);
        return this.#keys.restricted(caller, key);
    }

    /** Revokes a token or API key. Returns what was revoked, with the key, if it was one; null for an unknown value, which is ignored. */
    async revoke(request: JsonValue | undefined, transport: Transport): Promise<{ readonly key: StoredApiKey | null } | null> {

        return await inOauth(async () => {

            const value = this.#tokenOf(request, transport);
            if (claimsKey(value)) {
                const key = await this.#keys.revokeValue(value);
                return key && { key };
            }

            return await this.#tokens.revoke(value) ? { key: null } : null;
        });
    }

    #issue({ userId, hook, record }: AuthenticationResult) {

        return this.#tokens.issue({
            kind: 'token', userId,
            expiresOn: hook?.expiresOn ?? null,
            facts: hook && factsOf(hook),
            preconditions: record === null ? [] : this.#credentials.expectSteps(userId, record, PASSWORD_CHANGED)
        });
    }

    #tokenOf(request: JsonValue | undefined, transport: Transport): string {

        this.#authenticator.checkTransport(transport);
        const { token } = membersOf(request);
        if (typeof token !== 'string') {
            throw invalidRequest('Missing token');
        }

        return token;
    }
}

function readGrant({ grant_type: grantType, username, password, assertion }: JsonObject): Credentials {

    const type = grantType ?? undefined;
    const isPassword = type === undefined && username !== undefined && password !== undefined || type === PASSWORD;
    if (isPassword) {
        return { kind: 'password', name: requiredText('username', username), password: requiredText('password', password) };
    }

    if (type === JWT_BEARER) {
        return { kind: 'token', token: requiredAssertion(assertion) };
    }

    if (type === undefined && (username !== undefined || password !== undefined)) {
        throw invalidRequest(`Missing ${username === undefined ? 'username' : 'password'}`);
    }

    throw type === undefined ? invalidRequest('Missing grant_type') :
        badRequest('the grant_type is not supported', { details: { error: 'unsupported_grant_type' } });
}

/** Returns the assertion, which must be a JWT: an access token here could be renewed without end. */
function requiredAssertion(assertion: JsonValue | undefined): string {

    const token = requiredText('assertion', assertion);
    if (!isJwt(token)) {
        throw unauthenticated('Authorization failed', { reason: 'the assertion is no JWT' });
    }

    return token;
}

function requiredText(name: string, value: JsonValue | undefined): string {

    if (typeof value !== 'string' || value === '') {
        throw invalidRequest(`Missing ${name}`);
    }

    if (value.length > MAX_CREDENTIAL_LENGTH) {
        throw invalidRequest(`${name} may have at most ${MAX_CREDENTIAL_LENGTH} characters`);
    }

    return value;
}

function membersOf(request: JsonValue | undefined): JsonObject {

    if (!isJsonObject(request)) {
        throw invalidRequest('the input must be a JSON object');
    }

    return request;
}

function invalidRequest(message: string): DoipError {

    return badRequest(message, { details: { error: 'invalid_request' } });
}

/** Adds the OAuth members to errors. */
async function inOauth<T>(run: () => Promise<T>): Promise<T> {

    try {
        return await run();
    }
    catch (thrown) {
        if (!(thrown instanceof DoipError)) {
            throw thrown;
        }

        throw getOrAdd(translated, thrown, () => toOAuthError(thrown));
    }
}

/** Cache for shared errors: creating an error would dominate the cost of rejecting a request. */
const translated = new WeakMap<DoipError, DoipError>();

function toOAuthError(thrown: DoipError): DoipError {

    const { status, message, details, attributes, http, reason, cause } = thrown;
    const error = status === Status.unauthenticated ? 'invalid_grant' : 'invalid_request';
    return new DoipError(status, message, {
        details: { error, error_description: message, ...details },
        attributes: status === Status.unauthenticated ? {} : attributes,
        ...http === undefined ? {} : { http },
        ...reason === undefined ? {} : { reason },
        ...cause === undefined ? {} : { cause }
    });
}
