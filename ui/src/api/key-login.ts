/** Logins by a private key: a JWT that is signed in the browser. The key is neither sent nor stored. */

import { defineTexts } from '../i18n/index.js';

const t = defineTexts({
    en: { kind: 'The key must be a private JWK of the kind RSA, EC (P-256, P-384) or Ed25519.', notJson: 'The key is not JSON.' },
    de: { kind: 'Der Schlüssel muss ein privater JWK der Art RSA, EC (P-256, P-384) oder Ed25519 sein.', notJson: 'Der Schlüssel ist kein JSON.' },
    fr: { kind: 'La clé doit être un JWK privé du type RSA, EC (P-256, P-384) ou Ed25519.', notJson: 'La clé n’est pas du JSON.' }
});

/** How long an assertion is valid, in seconds: as long as one request takes. */
const VALID_SECONDS = 60;

type Algorithm = RsaHashedImportParams | EcKeyImportParams | { readonly name: 'Ed25519' };

/** Import parameters, and those of a signature, by the kind of a key. */
const ALGORITHMS: Readonly<Record<string, readonly [alg: string, key: Algorithm, signature: AlgorithmIdentifier | EcdsaParams]>> = {
    'RSA': ['RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, 'RSASSA-PKCS1-v1_5'],
    'EC P-256': ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }, { name: 'ECDSA', hash: 'SHA-256' }],
    'EC P-384': ['ES384', { name: 'ECDSA', namedCurve: 'P-384' }, { name: 'ECDSA', hash: 'SHA-384' }],
    'OKP Ed25519': ['EdDSA', { name: 'Ed25519' }, 'Ed25519']
};

/**
 * Signs an assertion of a user, as the service takes it for a login.
 *
 * @param keyText the private key, a JWK as JSON
 * @throws Error that says what is wrong with the key
 */
export async function signAssertion(userId: string, keyText: string): Promise<string> {

    const { kty, crv, n, e, d, p, q, dp, dq, qi, x, y } = parseKey(keyText);
    const [alg, importParams, signParams] = ALGORITHMS[crv === undefined ? kty ?? '' : `${kty} ${crv}`] ?? [];
    if (alg === undefined || importParams === undefined || signParams === undefined || d === undefined) {
        throw new Error(t('kind'));
    }

    const parts = Object.fromEntries(Object.entries({ kty, crv, n, e, d, p, q, dp, dq, qi, x, y }).filter(([, value]) => value !== undefined));
    const key = await crypto.subtle.importKey('jwk', parts as JsonWebKey, importParams, false, ['sign']);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: userId, sub: userId, exp: now + VALID_SECONDS, iat: now, jti: crypto.randomUUID() };
    const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
    const signature = await crypto.subtle.sign(signParams, key, new TextEncoder().encode(signed));
    return `${signed}.${base64Url(new Uint8Array(signature))}`;
}

function parseKey(text: string): JsonWebKey {

    try {
        return JSON.parse(text) as JsonWebKey;
    }
    catch {
        throw new Error(t('notJson'));
    }
}

function encode(value: object): string {

    return base64Url(new TextEncoder().encode(JSON.stringify(value)));
}

/** Bytes in the alphabet for URLs, without padding. */
export function base64Url(bytes: Uint8Array): string {

    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
