/**
 * The members `prepend` and `prependHandleMintingConfigPrefix`, which several parts of the extension keyword share: the
 * content holds the rest of an id, and this is what goes before it.
 */

import type { JsonObject } from '../../util/json-types.js';

/** What goes before a value, given the prefix of this service. The text wins over the flag. */
export function prependOf(member: JsonObject): (prefix: string) => string {

    const text = member['prepend'];
    if (typeof text === 'string') {
        return () => text;
    }

    return member['prependHandleMintingConfigPrefix'] === true ? (prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`) : () => '';
}
