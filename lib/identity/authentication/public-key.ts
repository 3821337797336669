/**
 * Public keys as JWKs, and what may be signed with them. The kind of the key decides which algorithms are believed, never the
 * token alone: so no token can choose `none`, or have a public key taken for a shared secret.
 */

import type { CryptoKey } from 'jose';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** Algorithms by kind of key; for curves by the curve. */
const ALGORITHMS: ReadonlyMap<string, readonly string[]> = new Map([
    ['RSA', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['EC P-256', ['ES256']],
    ['EC P-384', ['ES384']],
    ['EC P-521', ['ES512']],
    ['OKP Ed25519', ['EdDSA', 'Ed25519']]
]);

/** Members of a JWK that matter, with their longest length: RSA up to 8192 bits. */
const MEMBERS = { n: 1400, e: 16, x: 128, y: 128 } as const;

/** Algorithms that fit a key, by the key alone; empty for kinds of keys that nobody may log in with. */
export function algorithmsOf({ kty, crv }: JsonObject): readonly string[] {

    const kind = [kty, kty === 'RSA' ? undefined : crv].filter((part) => typeof part === 'string').join(' ');
    return ALGORITHMS.get(kind) ?? [];
}

/** The key for an algorithm; null when they do not go together or the key is unusable. Keys are kept as long as their JWK. */
export async function importPublicKey(jwk: JsonObject, algorithm: string): Promise<CryptoKey | null> {

    if (!algorithmsOf(jwk).includes(algorithm) || typeof jwk.alg === 'string' && jwk.alg !== algorithm) {
        return null;
    }

    let keys = imported.get(jwk);
    if (!keys) {
        keys = new Map();
        imported.set(jwk, keys);
    }

    let key = keys.get(algorithm);
    if (!key) {
        key = importMembers(jwk, algorithm);
        keys.set(algorithm, key);
    }

    return key;
}

/**
 * A key that nobody has the private part of, for an algorithm: to be checked against where there is no key, so that it takes
 * as long. Null for algorithms that are not believed with any key.
 */
export async function decoyKey(algorithm: string): Promise<CryptoKey | null> {

    if (![...ALGORITHMS.values()].flat().includes(algorithm)) {
        return null;
    }

    let key = decoys.get(algorithm);
    if (!key) {
        const { generateKeyPair } = await import('jose');
        key = generateKeyPair(algorithm).then(({ publicKey }) => publicKey);
        decoys.set(algorithm, key);
    }

    return key;
}

const decoys = new Map<string, Promise<CryptoKey>>();

const imported = new WeakMap<JsonObject, Map<string, Promise<CryptoKey | null>>>();

/** Takes only what makes up a public key: a private part, `use` and the like do not count. */
async function importMembers(jwk: JsonObject, algorithm: string): Promise<CryptoKey | null> {

    const members = Object.entries(MEMBERS).flatMap(([name, longest]) => {

        const value = jwk[name];
        return isMember(value, longest) ? [[name, value.replace(/(?<!=)=+$/, '')] as const] : [];
    });
    const { importJWK } = await import('jose');             // Loaded by the first key that is used
    try {
        const key = await importJWK({
            kty: String(jwk.kty as string), ...typeof jwk.crv === 'string' ? { crv: jwk.crv } : {}, ...Object.fromEntries(members)
        }, algorithm);
        return key instanceof Uint8Array ? null : key;
    }
    catch {
        return null;                                        // Not a key: nobody can have signed with it
    }
}

function isMember(value: JsonValue | undefined, longest: number): value is string {

    return typeof value === 'string' && value.length <= longest;
}
