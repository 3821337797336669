/**
 * Minting of ids for new objects.
 */

import { createHash, randomBytes } from 'node:crypto';

/** Returns the id derived from the primary property of an object: 20 hex digits of the SHA-1 of its text. */
export function idFromPrimary(prefix: string, primary: string): string {

    // SHA-1 gives no protection here; existing data relies on the resulting ids.
    return `${prefix}/${createHash('sha1').update(primary).digest('hex').slice(0, 20)}`;
}

/** Returns a random id: 20 hex digits. */
export function mintId(prefix: string): string {

    return `${prefix}/${randomBytes(10).toString('hex')}`;
}
