/**
 * The authentication object of a request, read: which kind of credentials it carries. Whether they are good is not asked here.
 */

import { unauthenticated } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** What somebody came with. */
export type Credentials =
    | { readonly kind: 'none' }
    /** An access token, which has no dot, or a signed assertion, which has some. */
    | { readonly kind: 'token'; readonly token: string }
    | { readonly kind: 'password'; readonly name: string; readonly password: string }
    /** A session's cookie, with the value that proves that the request was meant; null when that is missing. */
    | { readonly kind: 'session'; readonly sessionId: string; readonly csrfToken: string | null };

/** Credentials and what is claimed beside them. */
export interface PresentedCredentials {
    readonly credentials: Credentials;
    /** Whom an administrator wants to act as. */
    readonly asUserId: string | null;
    /** From the request, for the authenticate hook; absent where there is none. */
    readonly requestContext?: JsonObject;
}

/** Characters of a name, a password or a token; more is not even looked at. */
export const MAX_CREDENTIAL_LENGTH = 16_384;

const NONE: PresentedCredentials = { credentials: { kind: 'none' }, asUserId: null };

/**
 * Reads an authentication object.
 *
 * @param clientId the caller as claimed in the request; may take the place of the username
 * @throws DoipError 401 for what is neither of the known forms, or claims to be somebody and proves nothing
 */
export function readCredentials(authentication: JsonObject, clientId: string | null): PresentedCredentials {

    const { token, username, password, sessionId, csrfToken, asUserId } = authentication;
    if (Object.keys(authentication).length === 0) {
        if (clientId !== null) {
            throw unauthenticated(`No authentication provided for ${clientId.slice(0, 255)}`);
        }

        return NONE;
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
