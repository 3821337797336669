/**
 * Digests for looking up secrets. Computed with every request, therefore by the one-shot function, which costs a fraction of a
 * hash object.
 */

import { hash, randomBytes } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url. For values that are long and random themselves. */
export function digestOf(text: string): string {

    return hash('sha256', text, 'base64url');
}

/**
 * Returns a digest function with a key of this process. The digests never leave the process, so that prefixing the key is as
 * good as an HMAC. The key fills one block of SHA-256.
 */
export function keyedDigests(): (text: string) => string {

    const key = randomBytes(32).toString('hex');
    return (text) => digestOf(key + text);
}
