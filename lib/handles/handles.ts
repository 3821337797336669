/**
 * Everything about handles, put together.
 */

import type { JsonValue } from '../doip/json.js';
import type { Policy } from '../identity/policy.js';
import type { Catalog } from '../types/catalog.js';
import type { HandleValuesHook } from './handle-records.js';
import { HandleRecords } from './handle-records.js';
import { HandleResolver } from './resolver.js';

/** What the configuration says about handles. */
export interface HandleOptions {
    /** Base of a user interface, to which `#objects/<id>` is added; null when there is none. */
    readonly uiBase: string | null;
}

/** What handles need. */
export interface HandleParts {
    readonly catalog: Catalog;
    readonly policy: Policy;
    readonly options: HandleOptions;
    readonly ownBase: () => string | undefined;
    readonly serviceInfo: () => JsonValue;
    readonly hook: HandleValuesHook | null;
}

/** Records and their resolution. */
export interface Handles {
    readonly records: HandleRecords;
    readonly resolver: HandleResolver;
}

/** Composes it. */
export function composeHandles({ catalog, policy, options, ownBase, serviceInfo, hook }: HandleParts): Handles {

    const { uiBase } = options;
    const records = new HandleRecords({ catalog, policy, uiBase, ownBase, serviceInfo, hook, adminIdentity: null });
    return { records, resolver: new HandleResolver({ records, policy, uiBase }) };
}
