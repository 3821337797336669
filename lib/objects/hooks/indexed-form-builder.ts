/**
 * Computes the indexed form of objects by the hook `objectForIndexing` of their type.
 */

import { fromHookObject, toHookObject } from './hook-object.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';
import { holding, type WriteContext } from '../../model/write-context.js';
import type { HookParts } from './write-hooks.js';
import type { PreparedChange } from '../../model/object-draft.js';

const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns a change with the indexed form of the object; the same change if its type has no such hook. */
export function withIndexForm<C extends PreparedChange>(parts: HookParts, change: C, context: WriteContext): C | Promise<C> {

    if (!parts.lifecycle.has(change.after.type, 'objectForIndexing')) {
        return change;
    }

    return indexFormOf(parts, change.after, context).then((indexForm) => (indexForm === undefined ? change : { ...change, indexForm }));
}

/**
 * Returns the indexed form of an object; undefined if its type has no hook, so that it is indexed as stored.
 *
 * @throws DoipError if the hook fails
 */
export async function indexFormOf({ lifecycle, limits }: HookParts, object: StoredObject, context: WriteContext): Promise<IndexedForm | undefined> {

    const { caller, requestContext = {}, chain: parent, dryRun = false } = context;
    const chain = holding(object.id, { by: 'change', lastWrite: null }, parent);
    const hookObject = toHookObject(object, object.metadata);
    const returned = await lifecycle.run('objectForIndexing', object.type, hookObject, { caller, requestContext, members: {}, chain, isDryRun: dryRun });
    if (returned === undefined) {
        return undefined;
    }

    const { content, userMetadata, acl } = fromHookObject(returned, object, { limits, uploaded: NO_NAMES });
    return { content, userMetadata, acl };
}
