/**
 * Public keys as JWKs. The key type determines the accepted algorithms, never the token alone: a token can neither choose
 * `none`, nor have a public key used as a shared secret.
 */

import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Key type (and curve) → algorithms. */
const ALGORITHMS: ReadonlyMap<string, readonly string[]> = new Map([
    ['RSA', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['EC P-256', ['ES256']],
    ['EC P-384', ['ES384']],
    ['EC P-521', ['ES512']],
    ['OKP Ed25519', ['EdDSA', 'Ed25519']]
]);

/** Relevant members of a JWK with their maximum length: RSA up to 8192 bits. */
const MEMBERS = { n: 1400, e: 16, x: 128, y: 128 } as const;

/** Returns the algorithms for a key; empty for unsupported key types. */
export function algorithmsOf({ kty, crv }: JsonObject): readonly string[] {

    const kind = [kty, kty === 'RSA' ? undefined : crv].filter((part) => typeof part === 'string').join(' ');
    return ALGORITHMS.get(kind) ?? [];
}

/** Returns the key for an algorithm; null if they do not match or the key is unusable. Imported keys are cached as long as their JWK. */
export async function importPublicKey(jwk: JsonObject, algorithm: string): Promise<CryptoKey | null> {

    if (!algorithmsOf(jwk).includes(algorithm) || typeof jwk.alg === 'string' && jwk.alg !== algorithm) {
        return null;
    }

    const keys = getOrAdd(imported, jwk, () => new Map<string, Promise<CryptoKey | null>>());
    return getOrAdd(keys, algorithm, () => importMembers(jwk, algorithm));
}

/** True if two JWKs are the same public key, however they are written. False for what is no key of a supported type. */
export function isSameKey(one: JsonObject, other: JsonObject): boolean {

    const [first, second] = [one, other].map(readPublicKey);
    return first ? second?.equals(first) ?? false : false;
}

function readPublicKey(jwk: JsonObject): KeyObject | null {

    if (algorithmsOf(jwk).length === 0) {
        return null;
    }

    try {
        return createPublicKey({ key: publicMembers(jwk), format: 'jwk' });
    }
    catch {
        return null;
    }
}

/** Returns a key without a known private key, to verify signatures of issuers without a key in the same time. Null for unsupported algorithms. */
export async function decoyKey(algorithm: string): Promise<CryptoKey | null> {

    if (![...ALGORITHMS.values()].flat().includes(algorithm)) {
        return null;
    }

    const { generateKeyPair } = await import('jose');
    return getOrAdd(decoys, algorithm, () => generateKeyPair(algorithm).then(({ publicKey }) => publicKey));
}

const decoys = new Map<string, Promise<CryptoKey>>();

const imported = new WeakMap<JsonObject, Map<string, Promise<CryptoKey | null>>>();

/** Returns only the members of a public key: a private part, `use` and the like are ignored. */
function publicMembers(jwk: JsonObject): { kty: string; [member: string]: string } {

    const members = Object.entries(MEMBERS).flatMap(([name, maxLength]) => {

        const value = jwk[name];
        return isMember(value, maxLength) ? [[name, value.replace(/(?<!=)=+$/, '')] as const] : [];
    });
    const { kty } = jwk;
    return { kty: typeof kty === 'string' ? kty : '', ...typeof jwk.crv === 'string' ? { crv: jwk.crv } : {}, ...Object.fromEntries(members) };
}

async function importMembers(jwk: JsonObject, algorithm: string): Promise<CryptoKey | null> {

    const { importJWK } = await import('jose');             // loaded on first use
    try {
        const key = await importJWK(publicMembers(jwk), algorithm);
        return key instanceof Uint8Array ? null : key;
    }
    catch {
        return null;                                        // not a key, so that no signature can match it
    }
}

function isMember(value: JsonValue | undefined, maxLength: number): value is string {

    return typeof value === 'string' && value.length <= maxLength;
}
