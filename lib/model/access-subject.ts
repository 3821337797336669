/**
 * The view of an object that access rules use.
 */

import type { StoredObject } from './stored-object.js';

/** The parts of an object that access rights depend on. */
export type Subject = Pick<StoredObject, 'id' | 'type' | 'acl'> & { readonly metadata: Pick<StoredObject['metadata'], 'createdBy'> };
