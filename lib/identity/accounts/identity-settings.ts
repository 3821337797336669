/**
 * Settings of authentication in the design object.
 */

import type { JsonObject } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Members of the design object that matter to authentication. */
export interface IdentitySettings {
    /** Audiences accepted in signed assertions; undefined if the design has none. */
    readonly ids: readonly string[] | undefined;
    /** Base URI of the service; the accepted audience if there are no ids. */
    readonly baseUri: string | undefined;
    /** Public key of the administrator, as a JWK. */
    readonly adminPublicKey: JsonObject | null;
    readonly allowInsecureAuthentication: boolean;
    readonly disableAuthenticationBackOff: boolean;
    readonly useLegacySessionsApi: boolean;
    /** `cookies` as written in the design. */
    readonly cookies: JsonObject;
}

/** Reads the settings, cached by content. */
export function identitySettings(content: JsonObject): IdentitySettings {

    return getOrAdd(read, content, () => readSettings(content));
}

const read = new WeakMap<JsonObject, IdentitySettings>();

function readSettings(content: JsonObject): IdentitySettings {

    const { ids, adminPublicKey, cookies, handleMintingConfig } = content;
    const baseUri = isJsonObject(handleMintingConfig) ? handleMintingConfig.baseUri : undefined;
    return {
        ids: Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : undefined,
        baseUri: typeof baseUri === 'string' && baseUri !== '' ? baseUri : undefined,
        adminPublicKey: isJsonObject(adminPublicKey) ? adminPublicKey : null,
        allowInsecureAuthentication: content.allowInsecureAuthentication === true,
        disableAuthenticationBackOff: content.disableAuthenticationBackOff === true,
        useLegacySessionsApi: content.useLegacySessionsApi === true,
        cookies: isJsonObject(cookies) ? cookies : {}
    };
}
