/**
 * Authentication by key pair: a JWT signed by the client, or its certificate in the TLS handshake, verified with the public key in its user
 * object (interface specification, "Authentication" 1). All failures look the same, so that nothing can be learned from them.
 */

import { createHash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { decodeUtf8, parseJson } from '../../json/strict-parser.js';
import type { LoginStore } from '../../stores/login-attempt-store.js';
import { ADMIN_ID } from '../../model/caller.js';
import type { IdentitySettings } from '../accounts/identity-settings.js';
import type { Directory } from '../accounts/user-directory.js';
import { isAdminName } from '../accounts/login-name.js';
import { decoyKey, importPublicKey, isSameKey } from './public-key.js';
import type { ClientCertificate } from '../../doip/envelope.js';

/** Maximum length of a token in characters; longer ones are not decoded. */
const MAX_LENGTH = 16_384;

/** Limits in seconds. */
const FURTHEST_EXPIRY = 3_600;
const CLOCK_SKEW = 300;

/** Verifies signed assertions. If an issuer has no key, a signature is verified all the same, so that timing reveals nothing. */
export class JwtBearerAuthenticator {

    readonly #directory: Directory;
    readonly #logins: LoginStore;
    readonly #design: () => IdentitySettings;
    readonly #renewDesign: () => Promise<unknown>;
    readonly #now: () => number;

    /** @param renewDesign resolves when the settings are those of the moment of the call, or later */
    constructor(
        parts: { directory: Directory; logins: LoginStore; renewDesign: () => Promise<unknown> }, design: () => IdentitySettings, now: () => number
    ) {

        this.#directory = parts.directory;
        this.#logins = parts.logins;
        this.#renewDesign = parts.renewDesign;
        this.#design = design;
        this.#now = now;
    }

    /** Returns the id of the user who signed a token; null if it is invalid for any reason. A token with a `jti` is valid once across all nodes. */
    async verify(token: string): Promise<string | null> {

        const claims = readClaims(token);
        const issuer = claims?.payload.iss;
        if (!claims || typeof issuer !== 'string' || !this.#areValid(claims.payload)) {
            return null;
        }

        const userId = await this.#signerOfToken(token, { issuer, algorithm: claims.algorithm });
        return userId !== null && await this.#isFirstUse(issuer, claims.payload) ? userId : null;
    }

    /** True if the key of the issuer is still that by which a valid token was signed, as of this call; its times do not matter any more. */
    async isStillSigned(token: string): Promise<boolean> {

        const claims = readClaims(token);
        const issuer = claims?.payload.iss;
        if (typeof issuer === 'string' && isAdminName(issuer)) {
            await this.#renewDesign();
        }

        return typeof issuer === 'string' && claims !== null && await this.#signerOfToken(token, { issuer, algorithm: claims.algorithm }) !== null;
    }

    /** Returns the id of the issuer of a token; null unless it is signed by the issuer's key. */
    async #signerOfToken(token: string, { issuer, algorithm }: { readonly issuer: string; readonly algorithm: string }): Promise<string | null> {

        const signer = await this.#signerOf(issuer);
        const signerKey = signer?.publicKey ? await importPublicKey(signer.publicKey, algorithm) : null;
        const key = signerKey ?? await decoyKey(algorithm);
        const isSigned = key !== null && await isSignedBy(token, key, algorithm);
        return signer && signerKey && isSigned ? signer.userId : null;
    }

    /** Returns the id of the user whose published key is that of a client certificate; null if there is none. */
    async ownerOf({ identity, publicKey }: ClientCertificate): Promise<string | null> {

        const signer = await this.#signerOf(identity);
        return signer?.publicKey && isSameKey(signer.publicKey, publicKey) ? signer.userId : null;
    }

    async #signerOf(issuer: string): Promise<{ userId: string; publicKey: JsonObject | null } | null> {

        if (isAdminName(issuer)) {
            return { userId: ADMIN_ID, publicKey: this.#design().adminPublicKey };
        }

        return this.#directory.accountOf(issuer);
    }

    #areValid({ iss, sub, exp, nbf, aud, jti }: JsonObject): boolean {

        const now = this.#now() / 1000;
        return (sub === undefined || sub === iss) &&
            typeof exp === 'number' && exp > now && exp <= now + FURTHEST_EXPIRY &&
            (nbf === undefined || typeof nbf === 'number' && nbf <= now + CLOCK_SKEW) &&
            (aud === undefined || this.#isMeant(aud)) &&
            (jti === undefined || typeof jti === 'string' && jti !== '');
    }

    /** True if the audience contains this service. */
    #isMeant(aud: JsonValue): boolean {

        const { ids, baseUri } = this.#design();
        const plain = baseUri?.replace(/(?<!\/)\/+$/, '');
        const audiences = ids ?? (plain === undefined ? [] : [plain, `${plain}/`]);
        return (Array.isArray(aud) ? aud : [aud]).some((id) => typeof id === 'string' && audiences.includes(id));
    }

    /** Records the use of a token. Called for valid signatures only, since otherwise attackers could use up the ids of others. */
    async #isFirstUse(issuer: string, { jti, exp }: JsonObject): Promise<boolean> {

        if (typeof jti !== 'string') {
            return true;
        }

        const hash = createHash('sha256').update(`${issuer.length}\n${issuer}\n${jti}`).digest('hex');
        return this.#logins.useOnce(hash, Math.ceil(Number(exp) * 1000));
    }
}

/** Returns the claims of a compact JWS; null if it is malformed or has critical extensions (`crit`). */
export function readClaims(token: string): { readonly algorithm: string; readonly payload: JsonObject } | null {

    const parts = token.length > MAX_LENGTH ? [] : token.split('.');
    const [header, payload] = parts.slice(0, 2).map(decodePart);
    if (parts.length !== 3 || !header || !payload || typeof header.alg !== 'string' || header.crit !== undefined) {
        return null;
    }

    return { algorithm: header.alg, payload };
}

function decodePart(part: string): JsonObject | null {

    if (!/^[A-Za-z0-9_-]+={0,2}$/.test(part)) {
        return null;
    }

    try {
        const value = parseJson(decodeUtf8(Buffer.from(part, 'base64url')), { maxDepth: 16 });
        return isJsonObject(value) ? value : null;
    }
    catch {
        return null;                                        // malformed
    }
}

async function isSignedBy(token: string, key: CryptoKey, algorithm: string): Promise<boolean> {

    const { compactVerify } = await import('jose');         // loaded on first use
    try {
        await compactVerify(token, key, { algorithms: [algorithm] });
        return true;
    }
    catch {
        return false;                                       // wrong signature, or unsupported header
    }
}
