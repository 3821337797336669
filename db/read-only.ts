/** What databases of processes that only read have in common. */

import { DatabaseError } from './errors.js';

/** Rejects a write. */
export function rejectWrite(): Promise<never> {

    return Promise.reject(new DatabaseError('failed', 'this process only reads'));
}
