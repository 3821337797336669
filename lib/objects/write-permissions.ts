/**
 * What the design forbids whoever writes.
 */

import type { Caller } from '../model/caller.js';
import type { Design } from '../types/design.js';
import type { StoredObject } from '../model/stored-object.js';
import { badRequest } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { DESIGN_TYPE } from '../types/built-in-types.js';

/** Requires that the service takes changes; the administrator may always change the design. */
export function checkWritable(design: Design, caller: Caller, id: string): void {

    if (design.isReadOnly && !(caller.isAdmin && id === DESIGN_ID)) {
        throw badRequest('Cordra is read-only');
    }
}

/** Requires that the design object stays one: as an object of another type nobody would check it, and its access rules would be gone. */
export function checkDesignType(id: string, type: string): void {

    if (id === DESIGN_ID && type !== DESIGN_TYPE) {
        throw badRequest('the type of the design object cannot be changed');
    }
}

/** Requires that an object is no version, or that versions may be changed. Deleting one is no change. */
export function checkVersion(design: Design, { metadata }: StoredObject): void {

    if (metadata.isVersion && !design.enableVersionEdits) {
        throw badRequest('Object versions cannot be edited');
    }
}
