/**
 * An object as rules of access see it.
 */

import type { StoredObject } from './stored-object.js';

/** The part of an object that rights depend on. */
export type Subject = Pick<StoredObject, 'id' | 'type' | 'acl'> & { readonly metadata: Pick<StoredObject['metadata'], 'createdBy'> };
