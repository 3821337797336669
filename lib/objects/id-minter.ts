/**
 * Ids for new objects whose creator names none.
 */

import { createHash, randomBytes } from 'node:crypto';

/** The id that the primary property of an object suggests: 20 hex digits of the SHA-1 of its text. */
export function idFromPrimary(prefix: string, primary: string): string {

    // SHA-1 is no protection here: existing fixtures know the ids that it yields.
    return `${prefix}/${createHash('sha1').update(primary).digest('hex').slice(0, 20)}`;
}

/** A fresh id: 20 random hex digits. */
export function mintId(prefix: string): string {

    return `${prefix}/${randomBytes(10).toString('hex')}`;
}
