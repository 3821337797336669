/**
 * Digests under which secrets are looked up: made with every request, so in one call, which costs a fraction of a hash object.
 */

import { hash, randomBytes } from 'node:crypto';

/** SHA-256 of a text, in base64url. For values that are long and random themselves. */
export function digestOf(text: string): string {

    return hash('sha256', text, 'base64url');
}

/**
 * Makes digests under a key that exists in this process only. They are compared here and shown to nobody, so that a key before
 * the text is as good as an HMAC. It fills one block of SHA-256.
 */
export function keyedDigests(): (text: string) => string {

    const key = randomBytes(32).toString('hex');
    return (text) => digestOf(key + text);
}
