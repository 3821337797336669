/**
 * Parses the authentication object of a request into credentials. Does not verify them.
 */

import { unauthenticated } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** Credentials of a request. */
export type Credentials =
    | { readonly kind: 'none' }
    /** An access token, which has no dot, or a signed assertion, which has dots. */
    | { readonly kind: 'token'; readonly token: string }
    | { readonly kind: 'password'; readonly name: string; readonly password: string }
    /** A session cookie with its CSRF token; null if that is missing. */
    | { readonly kind: 'session'; readonly sessionId: string; readonly csrfToken: string | null };

/** Credentials and claims beside them. */
export interface PresentedCredentials {
    readonly credentials: Credentials;
    /** The user that an administrator wants to act as. */
    readonly asUserId: string | null;
    /** From the request, for the authenticate hook; absent if there is none. */
    readonly requestContext?: JsonObject;
}

/** Maximum length of a name, a password or a token in characters; longer ones are rejected unread. */
export const MAX_CREDENTIAL_LENGTH = 16_384;

/** Maximum length of the reason why credentials cannot be read, in characters. */
const MAX_REASON_LENGTH = 200;

/** True for a token that others have signed (a JWT), which has dots; those of this service have none. */
export function isJwt(token: string): boolean {

    return token.includes('.');
}

const NONE: PresentedCredentials = { credentials: { kind: 'none' }, asUserId: null };

/**
 * Parses an authentication object.
 *
 * @param clientId the claimed caller of the request; may replace the username
 * @throws DoipError 401 for an unknown form, or for a claimed identity without credentials
 */
export function readCredentials(authentication: JsonObject, clientId: string | null): PresentedCredentials {

    if (Object.keys(authentication).length === 0) {
        if (clientId !== null) {
            throw unauthenticated(`No authentication provided for ${clientId.slice(0, 255)}`);
        }

        return NONE;
    }

    const { token, username, password, sessionId, csrfToken, asUserId, unreadable: reason } = authentication;

    if (typeof reason === 'string') {
        throw unauthenticated(reason.slice(0, MAX_REASON_LENGTH).toWellFormed());
    }

    const acted = optionalText(asUserId) ?? null;
    if (token !== undefined) {
        return { credentials: { kind: 'token', token: text(token) }, asUserId: acted };
    }

    if (password !== undefined) {
        return { credentials: { kind: 'password', name: nameOf(username, clientId), password: text(password) }, asUserId: acted };
    }

    if (sessionId !== undefined) {
        const csrf = optionalText(csrfToken) ?? null;
        return { credentials: { kind: 'session', sessionId: text(sessionId), csrfToken: csrf }, asUserId: acted };
    }

    if (username === undefined && acted !== null) {
        throw unauthenticated('only an authenticated administrator can act as another user');
    }

    throw unreadable();
}

function nameOf(username: JsonValue | undefined, clientId: string | null): string {

    if (username !== undefined && clientId !== null) {
        throw unauthenticated('No support for authenticating with both username and clientId');
    }

    return text(username ?? clientId ?? undefined);
}

function optionalText(value: JsonValue | undefined): string | undefined {

    return value === undefined || value === null ? undefined : text(value);
}

function text(value: JsonValue | undefined): string {

    if (typeof value !== 'string' || value === '') {
        throw unreadable();
    }

    if (value.length > MAX_CREDENTIAL_LENGTH) {
        throw unauthenticated(`credentials may have at most ${MAX_CREDENTIAL_LENGTH} characters`);
    }

    return value;
}

function unreadable(): Error {

    return unauthenticated('Unable to parse authentication (neither token nor password)');
}

/** Returns the error for failed authentication, which is the same for every cause. */
export function failure(credentials: Credentials): Error {

    switch (credentials.kind) {
        case 'password':
            // Without the name, for which people take their password by mistake.
            return unauthenticated('Authentication failed', { reason: 'wrong name or password' });
        case 'token':
        case 'session':
            return unauthenticated('Authentication failed: the token is not valid or has expired', { attributes: { error: 'invalid_token' } });
        case 'none':
            return unauthenticated('Authentication failed');
    }
}
