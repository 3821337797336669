/**
 * Legacy sessions: a token in a cookie, with a CSRF token that must be sent in a header. Disabled unless the design enables
 * them.
 */

import { forbidden, unauthenticated } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';
import type { Authenticator } from './authenticator.js';
import type { PrincipalResolver } from './principal-resolver.js';
import { factsOf } from './principal-resolver.js';
import type { Caller } from '../../model/caller.js';
import { denied } from '../../model/caller.js';
import type { IdentitySettings } from '../accounts/identity-settings.js';
import type { AccessTokens } from '../tokens/access-tokens.js';

/** Name by which callers address their own session. */
const OWN = 'this';

/** Creates and ends sessions. */
export class Sessions {

    readonly #authenticator: Authenticator;
    readonly #callers: PrincipalResolver;
    readonly #design: () => IdentitySettings;
    readonly #tokens: AccessTokens;

    constructor(parts: { authenticator: Authenticator; callers: PrincipalResolver; tokens: AccessTokens }, design: () => IdentitySettings) {

        this.#authenticator = parts.authenticator;
        this.#callers = parts.callers;
        this.#design = design;
        this.#tokens = parts.tokens;
    }

    /** Checks that sessions are enabled. @throws DoipError 401 */
    checkEnabled(): void {

        if (!this.#design().useLegacySessionsApi) {
            throw unauthenticated('Legacy sessions disabled on this Cordra');
        }
    }

    /**
     * Checks that sessions are enabled, and that the session of the caller is addressed, which is called `this`.
     *
     * @throws DoipError 401, 403
     */
    checkName(name: string): void {

        this.checkEnabled();
        if (name !== OWN) {
            throw forbidden('only the session of the caller can be addressed: use /sessions/this');
        }
    }

    /** Cookie settings: member `cookies` of the design. */
    get cookies(): JsonObject {

        return this.#design().cookies;
    }

    /**
     * Creates a session for an authenticated caller; its values are not stored and cannot be read again.
     *
     * @param verify rejects if the credentials have ended meanwhile; called when the session is there, which would survive them otherwise
     */
    async create(caller: Caller, verify: () => Promise<unknown>): Promise<{ sessionId: string; csrfToken: string }> {

        const { userId, method } = caller;
        if (userId === null) {
            throw denied(caller, 'a session needs credentials');
        }

        if (method === 'as-user') {
            throw forbidden('a session cannot be made while acting as another user');
        }

        if (caller.apiKey) {
            throw forbidden('a session cannot be made with an API key');
        }

        const answer = this.#callers.answerOf(caller);
        const issued = await this.#tokens.issue({
            kind: 'session', userId, expiresOn: answer?.expiresOn ?? null, facts: answer && factsOf(answer)
        });
        const sessionId = issued?.token ?? '';
        try {
            await verify();
        }
        catch (error) {
            await this.#tokens.revoke(sessionId);
            throw error;
        }

        return { sessionId, csrfToken: issued?.csrf ?? '' };
    }

    /** Ends the session that a caller has used; resolves to false if there is none. */
    async end(caller: Caller): Promise<boolean> {

        const sessionId = this.#authenticator.sessionOf(caller);
        return sessionId !== null && this.#tokens.revoke(sessionId);
    }
}
