/**
 * Values of API keys: a prefix by which scanners of source code recognise them, random digits, and a checksum with which a scanner tells
 * them from other text.
 */

import { randomBytes } from 'node:crypto';
import { digestOf } from '../tokens/digest.js';

/** Of every value; no access token begins with it. */
const KEY_PREFIX = 'doipkey_';

/** 192 bits. */
const SECRET_BYTES = 24;
const CHECKSUM_DIGITS = 8;
const PATTERN = /^doipkey_[0-9a-f]{56}$/;

/** Returns a new random value, such as `doipkey_` and 56 hexadecimal digits. */
export function newKeyValue(): string {

    const text = KEY_PREFIX + randomBytes(SECRET_BYTES).toString('hex');
    return text + checksumOf(text);
}

/** True for a token that claims to be an API key: it is nothing else, even if it is not valid. */
export function claimsKey(token: string): boolean {

    return token.startsWith(KEY_PREFIX);
}

/** True for a value that this service may have made. */
export function isKeyValue(token: string): boolean {

    return PATTERN.test(token) && checksumOf(token.slice(0, -CHECKSUM_DIGITS)) === token.slice(-CHECKSUM_DIGITS);
}

/** The first digits of the SHA-256 of prefix and random digits. */
function checksumOf(text: string): string {

    return Buffer.from(digestOf(text), 'base64url').toString('hex').slice(0, CHECKSUM_DIGITS);
}
