/**
 * JSON web tokens for scripts, signed and verified with keys of the scripts or of the service. The key type determines the
 * accepted algorithms; the `alg` of a token alone is never trusted.
 */

import type { KeyObject } from 'node:crypto';
import { constants, createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { badRequest } from '../../errors/errors.js';
import { parseJson } from '../../json/strict-parser.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** Maximum length of a token in characters. */
const MAX_LENGTH = 100_000;

/** Parameters of a signature algorithm. */
interface Algorithm {
    readonly hash: string | null;
    readonly options: { readonly padding?: number; readonly saltLength?: number; readonly dsaEncoding?: 'ieee-p1363' };
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const EC = { dsaEncoding: 'ieee-p1363' } as const;

/** Key type or curve → algorithms, default first. */
const ALGORITHMS: Readonly<Record<string, Readonly<Record<string, Algorithm>>>> = {
    RSA: {
        RS256: { hash: 'sha256', options: {} }, RS384: { hash: 'sha384', options: {} }, RS512: { hash: 'sha512', options: {} },
        PS256: { hash: 'sha256', options: PSS }, PS384: { hash: 'sha384', options: PSS }, PS512: { hash: 'sha512', options: PSS }
    },
    'P-256': { ES256: { hash: 'sha256', options: EC } },
    'P-384': { ES384: { hash: 'sha384', options: EC } },
    'P-521': { ES512: { hash: 'sha512', options: EC } },
    Ed25519: { EdDSA: { hash: null, options: {} } }
};

/**
 * Returns the payload of a token without verifying its signature.
 *
 * @throws DoipError 400 for a malformed token
 */
export function payloadOf(token: JsonValue): JsonValue {

    return decoded(partsOf(token)[1], 'payload');
}

/** True if a token has a valid signature for a public key (JWK). */
export function verify(token: JsonValue, jwk: JsonValue): boolean {

    const [header = '', payload = '', signature = ''] = partsOf(token);
    const facts = decoded(header, 'header');
    const name = isJsonObject(facts) && facts['crit'] === undefined ? facts['alg'] : undefined;
    const algorithms = algorithmsOf(jwk);
    const algorithm = typeof name === 'string' && Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
    if (!algorithm) {
        return false;
    }

    const key = { ...algorithm.options, key: keyOf(jwk, 'public') };
    return verifyBytes(algorithm.hash, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

/** Returns a token with a payload, signed with a private key (JWK). The algorithm is the `alg` of the key, or the default for its type. */
export function sign(payload: JsonValue, jwk: JsonValue): string {

    const algorithms = algorithmsOf(jwk);
    const named = isJsonObject(jwk) && typeof jwk['alg'] === 'string' ? jwk['alg'] : Object.keys(algorithms)[0] ?? '';
    const algorithm = Object.hasOwn(algorithms, named) ? algorithms[named] : undefined;
    if (!algorithm) {
        throw badRequest(`a key of this kind cannot sign with ${named}`);
    }

    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const signed = `${encoded(JSON.stringify({ alg: named }))}.${encoded(text)}`;
    const signature = signBytes(algorithm.hash, Buffer.from(signed), { ...algorithm.options, key: keyOf(jwk, 'private') });
    return `${signed}.${signature.toString('base64url')}`;
}

function algorithmsOf(jwk: JsonValue): Readonly<Record<string, Algorithm>> {

    const { kty = '', crv = '' } = isJsonObject(jwk) ? jwk : {};
    const kind = kty === 'RSA' ? 'RSA' : typeof crv === 'string' ? crv : '';
    const found = Object.hasOwn(ALGORITHMS, kind) ? ALGORITHMS[kind] : undefined;
    if (!found) {
        throw badRequest('the key must be a JWK for RSA, or on the curve P-256, P-384, P-521 or Ed25519');
    }

    return found;
}

function keyOf(jwk: JsonValue, kind: 'public' | 'private'): KeyObject {

    const input = { key: jwk as JsonObject, format: 'jwk' } as const;
    try {
        return kind === 'public' ? createPublicKey(input) : createPrivateKey(input);
    }
    catch (error) {
        throw badRequest(`the ${kind} key cannot be used`, { cause: error });
    }
}

function partsOf(token: JsonValue): string[] {

    const parts = typeof token === 'string' && token.length <= MAX_LENGTH ? token.split('.') : [];
    if (parts.length !== 3) {
        throw badRequest('a token must consist of three parts');
    }

    return parts;
}

function decoded(part: string | undefined, name: string): JsonValue {

    return parseJson(Buffer.from(part ?? '', 'base64url'), { name: `the ${name} of the token` });
}

function encoded(text: string): string {

    return Buffer.from(text).toString('base64url');
}
