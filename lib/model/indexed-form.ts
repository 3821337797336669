/**
 * An object as it is to be indexed, where that differs from the object: made by the type's `objectForIndexing`, stored with
 * the object, never shown to anybody.
 */

import type { Acl } from '../doip/digital-object.js';
import type { JsonObject } from '../util/json-types.js';

/**
 * The parts of an object that may be indexed otherwise than they are stored; all of them are given, also those that are the
 * same. Id, type, metadata and payloads are indexed as they are. `acl` is what queries on ACL fields see: who finds the object
 * depends on its own ACL all the same.
 */
export interface IndexedForm {
    readonly content: JsonObject;
    readonly userMetadata: JsonObject | null;
    readonly acl: Acl | null;
}
