/** Results of authentication by each method. */

import type { ApiKey } from '../keys/api-keys.js';
import type { PasswordLogin } from './password-authenticator.js';
import type { AuthenticationResult } from './principal-resolver.js';
import type { ProvidedUser } from './provided-user.js';

export function passwordProof({ userId, record }: PasswordLogin): AuthenticationResult {

    return { userId, method: 'password', hook: null, record };
}

/** Of a signed assertion, or the key of a client certificate. */
export function assertionProof(userId: string): AuthenticationResult {

    return { userId, method: 'key', hook: null, record: null };
}

export function apiKeyProof(apiKey: ApiKey): AuthenticationResult {

    return { userId: apiKey.stored.userId, method: 'api-key', hook: null, record: null, apiKey };
}

/** Of a login provider. */
export function providerProof({ userId, answer }: ProvidedUser): AuthenticationResult {

    return { userId, method: 'hook', hook: answer, record: null };
}
