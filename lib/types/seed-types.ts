/**
 * Recognises the types that a fresh service makes for itself, as long as nobody has changed them.
 */

import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../model/stored-object.js';
import { SERVICE } from '../model/caller.js';
import { authorOf } from '../model/write-context.js';
import { earlierTypes, initialTypes } from './seed-content.js';

/** Is a Schema object one of those that a fresh service makes, exactly so? */
export function isUntouchedDefault({ content, acl, userMetadata, elements, metadata }: StoredObject, extensionKeyword: string): boolean {

    const byService = metadata.createdBy === authorOf(SERVICE) && metadata.modifiedBy === authorOf(SERVICE) && !metadata.isVersion;
    return byService && acl === null && userMetadata === null && elements.length === 0 &&
        [...initialTypes(extensionKeyword), ...earlierTypes(extensionKeyword)]
            .some((initial) => isDeepStrictEqual({ ...initial, identifier: content.identifier }, content));
}
