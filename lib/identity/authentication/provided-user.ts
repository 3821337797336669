/**
 * Users whom an OpenID Connect provider has identified, by the claims of a token.
 */

import type { LoginProvider } from '../../config/login-providers.js';
import { unauthenticated } from '../../errors/errors.js';
import { getAt } from '../../json/pointer.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isPossibleId } from '../accounts/login-name.js';
import type { HookAnswer } from './hook-authenticator.js';
import { readAnswer } from './hook-authenticator.js';

/** Characters of names that end lines, control terminals, or change the direction of the text around them. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** A user whom a provider has identified. */
export interface ProvidedUser {
    readonly userId: string;
    readonly answer: HookAnswer;
}

/** Returns the user that claims describe. Groups other than those of the configuration are ignored: a provider cannot name those of this service. */
export function userOf(provider: LoginProvider, claims: JsonObject): ProvidedUser {

    const id = claimOf(claims, provider.idClaim);
    const userId = typeof id === 'string' && id !== '' ? `${provider.name}/${id}` : '';
    if (!isPossibleId(userId) || /\p{Cc}/u.test(userId)) {
        throw rejected(`token of ${provider.name}: claim ${provider.idClaim} is not the id of a user`);
    }

    const name = claimOf(claims, provider.usernameClaim);
    const values = [claimOf(claims, provider.groupsClaim) ?? []].flat();
    const groups = values.flatMap((value) => (typeof value === 'string' && Object.hasOwn(provider.groups, value) ? [provider.groups[value] ?? ''] : []));
    const answer = readAnswer({
        active: true, userId, groupIds: [...new Set(groups)], exp: claims['exp'] ?? 0, grantAuthenticatedAccess: provider.authenticated,
        // With the name of the provider: a user of this service may have the same name.
        ...typeof name === 'string' && name !== '' && !UNFIT.test(name) ? { username: `${name}@${provider.name}` } : {}
    });
    return { userId, answer };
}

/** Returns a claim by its name, or by a JSON pointer. */
export function claimOf(claims: JsonObject, claim: string): JsonValue | undefined {

    return claim.startsWith('/') ? getAt(claims, claim) : Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}

/** The same as for every other wrong token; the reason is for the log. */
export function rejected(reason: string): Error {

    return unauthenticated('Authentication failed: the token is not valid or has expired', { attributes: { error: 'invalid_token' }, reason });
}
