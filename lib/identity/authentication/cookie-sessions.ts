/**
 * Legacy sessions: a token that a cookie carries, and a second value that must come in a header, so that no other site can
 * send requests in the user's name. Off unless the design switches them on.
 */

import { forbidden, unauthenticated } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';
import type { Authenticator } from './authenticator.js';
import type { PrincipalResolver } from './principal-resolver.js';
import { factsOf } from './principal-resolver.js';
import type { Caller } from '../../model/caller.js';
import { denied } from '../../model/caller.js';
import type { DesignFacts } from '../accounts/identity-settings.js';
import type { AccessTokens } from '../tokens/access-tokens.js';

/** A new session, in the only moment in which its values are known. */
export interface NewSession {
    readonly sessionId: string;
    readonly csrfToken: string;
}

/** What callers call their session. */
const OWN = 'this';

/** Begins and ends sessions. */
export class Sessions {

    readonly #authenticator: Authenticator;
    readonly #callers: PrincipalResolver;
    readonly #design: () => DesignFacts;
    readonly #tokens: AccessTokens;

    constructor(parts: { authenticator: Authenticator; callers: PrincipalResolver; tokens: AccessTokens }, design: () => DesignFacts) {

        this.#authenticator = parts.authenticator;
        this.#callers = parts.callers;
        this.#design = design;
        this.#tokens = parts.tokens;
    }

    /** Requires that sessions are switched on: 401. */
    checkEnabled(): void {

        if (!this.#design().useLegacySessionsApi) {
            throw unauthenticated('Legacy sessions disabled on this Cordra');
        }
    }

    /**
     * Requires that sessions are switched on, and that the session of the caller is meant, which is called `this`.
     *
     * @throws DoipError 401, 403
     */
    checkName(name: string): void {

        this.checkEnabled();
        if (name !== OWN) {
            throw forbidden('only the session of the caller can be addressed: use /sessions/this');
        }
    }

    /** How the design wants the cookies: its member `cookies`. */
    get cookies(): JsonObject {

        return this.#design().cookies;
    }

    /** Begins a session for a caller who has just proven who it is. */
    async create(caller: Caller): Promise<NewSession> {

        const { userId, method } = caller;
        if (userId === null) {
            throw denied(caller, 'a session needs credentials');
        }

        if (method === 'as-user') {
            throw forbidden('a session cannot be made while acting as another user');
        }

        const answer = this.#callers.answerOf(caller);
        const issued = await this.#tokens.issue({
            kind: 'session', userId, expiresOn: answer?.expiresOn ?? null, facts: answer && factsOf(answer)
        });
        return { sessionId: issued?.token ?? '', csrfToken: issued?.csrf ?? '' };
    }

    /** Ends the session that a caller came with, if it is one. */
    async end(caller: Caller): Promise<void> {

        const sessionId = this.#authenticator.sessionOf(caller);
        if (sessionId !== null) {
            await this.#tokens.revoke(sessionId);
        }
    }
}
