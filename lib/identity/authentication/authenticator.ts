/**
 * Authenticates requests (interface specification, "Authentication"). Credentials are tried in a fixed order: own access token, API key or
 * session, token of a login provider, authenticate hook, signed assertion, password; a request without any is that of the owner of the client
 * certificate, if there is one. Then blocked users are rejected, and administrators may act as another user.
 *
 * With a token or a cached password nothing is read: the epoch that was read with the target tells whether the caches are
 * current.
 */

import type { ClientCertificate, DoipRequest, Transport } from '../../doip/envelope.js';
import { forbidden, unauthenticated } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { Op, WITHOUT_CREDENTIALS } from '../../doip/operation-ids.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import type { JwtBearerAuthenticator } from './jwt-bearer.js';
import { mayWaitFor } from './before-password-change.js';
import { apiKeyProof, assertionProof, passwordProof, providerProof } from './proofs.js';
import type { HookAnswer, HookAuthenticator } from './hook-authenticator.js';
import type { LocalAccess } from './local-access.js';
import { LOCAL_ADMIN } from './local-access.js';
import { sourceOf } from '../../util/net/ip-address.js';
import type { PrincipalResolver, AuthenticationResult } from './principal-resolver.js';
import type { Caller } from '../../model/caller.js';
import { ANONYMOUS, sharedCaller } from '../../model/caller.js';
import type { PresentedCredentials, Credentials } from './credentials.js';
import { failure, isJwt, readCredentials } from './credentials.js';
import type { IdentitySettings } from '../accounts/identity-settings.js';
import { readClaims } from './jwt-bearer.js';
import { isAdminName, isPossibleName, loginKey } from '../accounts/login-name.js';
import type { ApiKeys } from '../keys/api-keys.js';
import { claimsKey } from '../keys/key-value.js';
import type { LoginProviders } from './login-providers.js';
import type { PasswordAuthenticator } from './password-authenticator.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import { isCsrfOf } from '../tokens/access-tokens.js';

/** The part of a request that authentication uses. */
export type AuthenticationRequest = Pick<DoipRequest, 'authentication' | 'clientId' | 'transport'> &
    Partial<Pick<DoipRequest, 'attributes'>>;

/** Operations that tell the token of the request from the others of the caller. */
const WITH_OWN_TOKEN: ReadonlySet<string> = new Set([Op.tokensList]);

/** Authenticates requests. */
export class Authenticator {

    readonly #assertions: JwtBearerAuthenticator;
    readonly #callers: PrincipalResolver;
    readonly #design: () => IdentitySettings;
    readonly #hook: HookAuthenticator;
    readonly #keys: ApiKeys;
    readonly #local: LocalAccess;
    readonly #logins: PasswordAuthenticator;
    readonly #providers: LoginProviders;
    readonly #tokens: AccessTokens;
    readonly #sessions = new WeakMap<Caller, string>();
    /** Records of the passwords that came with requests in progress. */
    readonly #records = new WeakMap<object, string>();
    /** What was found for requests in progress whose credentials do not tell it again: those of the hook, and of callers who act as others. */
    readonly #proofs = new WeakMap<object, AuthenticationResult>();

    constructor(
        parts: {
            assertions: JwtBearerAuthenticator; callers: PrincipalResolver; hook: HookAuthenticator; keys: ApiKeys; local: LocalAccess;
            logins: PasswordAuthenticator; providers: LoginProviders; tokens: AccessTokens;
        },
        design: () => IdentitySettings
    ) {

        this.#assertions = parts.assertions;
        this.#callers = parts.callers;
        this.#design = design;
        this.#hook = parts.hook;
        this.#keys = parts.keys;
        this.#local = parts.local;
        this.#logins = parts.logins;
        this.#providers = parts.providers;
        this.#tokens = parts.tokens;
    }

    /**
     * Returns the caller of a request; anonymous without credentials.
     *
     * @param operationId id of the operation; undefined if the target determines it
     * @param epochs as read with the target, before this call
     * @throws DoipError 401 for wrong credentials or blocked users, 403 if credentials must not be sent over this connection,
     *   429 for too many logins
     */
    async authenticate(request: AuthenticationRequest, operationId: string | undefined, epochs: Epochs): Promise<Caller> {

        if (this.#local.proves(request.transport)) {
            return LOCAL_ADMIN;
        }

        if (operationId !== undefined && WITHOUT_CREDENTIALS.has(operationId)) {
            return ANONYMOUS;
        }

        const mayWait = mayWaitFor(operationId);
        const { transport: { clientCertificate } } = request;
        if (clientCertificate && Object.keys(request.authentication).length === 0) {
            return this.#byCertificate(clientCertificate, request.clientId, epochs, mayWait);
        }

        const claim = readCredentials(request.authentication, request.clientId);
        if (claim.credentials.kind === 'none' || claim.credentials.kind === 'session' && !this.#design().useLegacySessionsApi) {
            return ANONYMOUS;
        }

        this.checkTransport(request.transport);
        const proof = this.#recall(claim.credentials, request.transport, epochs) ??
            await this.prove({ ...claim, requestContext: requestContextOf(request) }, request, epochs);
        if (proof.record !== null) {
            this.#records.set(request.authentication, proof.record);
        }

        if (proof.method === 'hook' || claim.asUserId !== null) {
            this.#proofs.set(request.authentication, proof);
        }

        const caller = this.#callers.fromCache(proof, epochs.identity, mayWait) ?? await this.#callers.callerOf(proof, epochs.identity, mayWait);
        checkClient(caller, request.clientId);
        if (claim.asUserId !== null) {
            return this.#restricted(await this.#callers.actingAs(claim.asUserId, caller, proof, epochs.identity), proof);
        }

        if (proof.apiKey) {
            return this.#restricted(caller, proof);
        }

        const { credentials } = claim;
        if (credentials.kind === 'token' && operationId !== undefined && WITH_OWN_TOKEN.has(operationId)) {
            return this.#inSession(caller, credentials.token);
        }

        return credentials.kind === 'session' ? this.#inSession(caller, credentials.sessionId) : caller;
    }

    /**
     * Returns the caller of a request that takes long, as of now: with the groups of this moment. What a hook admitted is not
     * verified again; passwords, tokens, keys and the signatures of assertions are.
     *
     * @param operationId as for {@link authenticate}
     * @throws DoipError 401 if the token, session or key has ended, the password was changed, or the user is blocked
     */
    async renewed({ authentication, clientId, transport }: AuthenticationRequest, caller: Caller, operationId: string | undefined): Promise<Caller> {

        if (this.#local.proves(transport) || caller.userId === null) {
            return caller;
        }

        const epochs = await this.#callers.epochs();
        const mayWait = mayWaitFor(operationId);
        if (Object.keys(authentication).length === 0) {
            const { clientCertificate } = transport;
            return clientCertificate ? await this.#byCertificate(clientCertificate, clientId, epochs, mayWait) : caller;
        }

        const { credentials, asUserId } = readCredentials(authentication, clientId);
        const known = this.#proofs.get(authentication);
        const isOfHook = known?.method === 'hook';
        const isStored = credentials.kind === 'session' || credentials.kind === 'token' && !isJwt(credentials.token) && !isOfHook;
        if (credentials.kind === 'password' && !isOfHook) {
            const { name, password } = credentials;
            if (!await this.#logins.isCurrent({ name, password, remoteAddress: transport.remoteAddress }, this.#records.get(authentication))) {
                throw failure(credentials);
            }
        }

        if (credentials.kind === 'token' && isJwt(credentials.token) && !isOfHook && !await this.#assertions.isStillSigned(credentials.token)) {
            throw failure(credentials);                     // The user has another key now
        }

        const proof = isStored ? await this.#tokenOf(credentials, epochs) : known ??
            { userId: caller.userId, method: caller.method as AuthenticationResult['method'], hook: this.#callers.answerOf(caller), record: null };
        if (!proof) {
            throw failure(credentials);
        }

        const renewed = await this.#callers.callerOf(proof, epochs.identity, mayWait);
        if (credentials.kind === 'session' && asUserId === null) {
            return this.#inSession(renewed, credentials.sessionId);
        }

        return this.#restricted(asUserId === null ? renewed : await this.#callers.actingAs(asUserId, renewed, proof, epochs.identity), proof);
    }

    #restricted(caller: Caller, { apiKey }: AuthenticationResult): Caller {

        return apiKey ? this.#keys.restricted(caller, apiKey) : caller;
    }

    async #byCertificate(certificate: ClientCertificate, clientId: string | null, { identity }: Epochs, mayWait: boolean): Promise<Caller> {

        const userId = clientId === null || clientId === certificate.identity ? await this.#assertions.ownerOf(certificate) : null;
        if (userId === null) {
            throw unauthenticated('Authentication failed: the key of the client certificate is not that of the user whom it names');
        }

        return this.#callers.callerOf(assertionProof(userId), identity, mayWait);
    }

    /** Returns the id of the session that a caller has used, or for some operations the token; null for other callers. */
    sessionOf(caller: Caller): string | null {

        return this.#sessions.get(sharedCaller(caller)) ?? null;
    }

    /**
     * Verifies credentials, but not the state of the user.
     *
     * @throws DoipError like {@link authenticate}
     */
    async prove(claim: PresentedCredentials, { transport }: Pick<DoipRequest, 'transport'>, epochs: Epochs): Promise<AuthenticationResult> {

        const { credentials } = claim;
        this.checkTransport(transport);
        const proof = await this.#tokenOf(credentials, epochs) ?? await this.#provided(credentials) ??
            await this.#foreign(claim, transport, epochs) ??
            await this.#direct(credentials, transport, epochs);
        if (!proof) {
            throw failure(credentials);
        }

        return proof;
    }

    /** Verifies the name and password of a login anew when it is used next. For other credentials it does nothing. */
    forget(credentials: Credentials): void {

        if (credentials.kind === 'password') {
            this.#logins.forget(credentials);
        }
    }

    /** Requires a connection on which credentials cannot be intercepted. @throws DoipError 403 for plain HTTP from another host */
    checkTransport({ secure, protocol, remoteAddress }: Transport): void {

        if (!secure && !this.#design().allowInsecureAuthentication) {
            throw forbidden('Authentication requires HTTPS', { reason: `credentials by ${protocol} from ${remoteAddress}` });
        }
    }

    /** Returns the cached result for credentials, as most are; null if something has to be read or computed. */
    #recall(credentials: Credentials, { remoteAddress }: Transport, { identity }: Epochs): AuthenticationResult | null {

        if (credentials.kind === 'token' && claimsKey(credentials.token)) {
            const apiKey = this.#keys.recall(credentials.token, identity);
            return apiKey && apiKeyProof(apiKey);
        }

        if (credentials.kind === 'token') {
            const provided = this.#providers.recall(credentials.token);
            if (provided) {
                return providerProof(provided);
            }

            const found = this.#tokens.recall(credentials.token, identity);
            return found?.kind === 'token' ? this.#callers.proofOf(found, 'token') : null;
        }

        if (credentials.kind !== 'password' || this.#hook.isPresent) {
            return null;
        }

        const { name, password } = credentials;
        const login = this.#logins.fromCache({ name, password, remoteAddress, epoch: identity });
        return login && passwordProof(login);
    }

    async #tokenOf(credentials: Credentials, epochs: Epochs): Promise<AuthenticationResult | null> {

        if (credentials.kind === 'session') {
            return this.#session(credentials, epochs);
        }

        if (credentials.kind !== 'token' || isJwt(credentials.token)) {
            return null;
        }

        if (claimsKey(credentials.token)) {
            const apiKey = await this.#keys.find(credentials.token, epochs.identity);
            if (!apiKey) {
                // Not for the authenticate hook, which need not see expired keys.
                throw failure(credentials);
            }

            return apiKeyProof(apiKey);
        }

        const found = await this.#tokens.find(credentials.token, epochs.identity);
        return found?.kind === 'token' ? this.#callers.proofOf(found, 'token') : null;
    }

    /** A token of a provider is for that alone, not for the hook. */
    async #provided(credentials: Credentials): Promise<AuthenticationResult | null> {

        const user = credentials.kind === 'token' && isJwt(credentials.token) ? await this.#providers.verify(credentials.token) : null;
        return user && providerProof(user);
    }

    async #session({ sessionId, csrfToken }: Extract<Credentials, { kind: 'session' }>, epochs: Epochs): Promise<AuthenticationResult | null> {

        const found = await this.#tokens.find(sessionId, epochs.identity);
        if (found?.kind !== 'session') {
            return null;
        }

        if (csrfToken === null || !isCsrfOf(found, csrfToken)) {
            throw unauthenticated('the session needs the value of its CSRF cookie in the header X-Csrf-Token');
        }

        return this.#callers.proofOf(found, 'session');
    }

    /** Returns a caller object for this request alone, from which its session can be found. */
    #inSession(shared: Caller, sessionId: string): Caller {

        const caller = this.#callers.copyOf(shared);
        this.#sessions.set(caller, sessionId);
        return caller;
    }

    /** Authenticates by the hook. It can authenticate a caller as admin, but cannot keep the administrator out. */
    async #foreign(claim: PresentedCredentials, { remoteAddress }: Transport, epochs: Epochs): Promise<AuthenticationResult | null> {

        const { credentials } = claim;
        let answer: HookAnswer | null;
        try {
            answer = await this.#hook.authenticate(claim, sourceOf(remoteAddress), epochs.types);
        }
        catch (error) {
            if (claimsAdmin(credentials)) {
                return null;
            }

            throw error;
        }

        if (!answer || !answer.active && claimsAdmin(credentials)) {
            return null;
        }

        const proof = answer.active ? await this.#callers.proofOfAnswer(answer) : null;
        if (!proof) {
            throw failure(credentials);
        }

        return proof;
    }

    async #direct(credentials: Credentials, { remoteAddress }: Transport, epochs: Epochs): Promise<AuthenticationResult | null> {

        if (credentials.kind === 'password') {
            const { name, password } = credentials;
            const login = await this.#logins.login({ name, password, remoteAddress, epoch: epochs.identity });
            return login && passwordProof(login);
        }

        const userId = credentials.kind === 'token' && isJwt(credentials.token) ?
            await this.#assertions.verify(credentials.token) : null;
        return userId === null ? null : assertionProof(userId);
    }
}

function checkClient({ isAdmin, userId, username }: Caller, clientId: string | null): void {

    const isNamed = (name: string): boolean => username !== null && isPossibleName(name) && loginKey(name) === loginKey(username);
    if (clientId !== null && !isAdmin && clientId !== userId && !isNamed(clientId)) {
        throw unauthenticated('the clientId is not that of the authenticated user');
    }
}

function claimsAdmin(credentials: Credentials): boolean {

    switch (credentials.kind) {
        case 'password':
            return isAdminName(credentials.name);
        case 'token': {
            const issuer = readClaims(credentials.token)?.payload.iss;
            return typeof issuer === 'string' && isAdminName(issuer);
        }

        case 'session':
        case 'none':
            return false;
    }
}

/** Returns the request context; an invalid one is ignored here and rejected when the operation begins. */
function requestContextOf({ attributes }: AuthenticationRequest): JsonObject {

    const context = attributes?.['requestContext'];
    return isJsonObject(context) ? context : {};
}
