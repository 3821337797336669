/**
 * Everything about handles, put together.
 */

import type { JsonValue } from '../doip/json.js';
import type { Policy } from '../identity/policy.js';
import type { Catalog } from '../types/catalog.js';
import type { HandleValuesHook } from './handle-records.js';
import type { HandleUpdateParts } from './handle-update.js';
import { HandleRecords } from './handle-records.js';
import { HandleUpdate } from './handle-update.js';
import { checkRecords } from './record-check.js';
import { HandleResolver } from './resolver.js';

/** What the configuration says about handles. */
export interface HandleOptions {
    /** Base of a user interface, to which `#objects/<id>` is added; null when there is none. */
    readonly uiBase: string | null;
}

/** What handles need. */
export interface HandleParts extends Pick<HandleUpdateParts, 'db' | 'jobs' | 'jobStore' | 'settings' | 'objects' | 'refresh' | 'log'> {
    readonly catalog: Catalog;
    readonly policy: Policy;
    readonly options: HandleOptions;
    readonly ownBase: () => string | undefined;
    readonly serviceInfo: () => JsonValue;
    readonly hook: HandleValuesHook | null;
}

/** Records, their resolution, and keeping them up to date. */
export interface Handles {
    readonly records: HandleRecords;
    readonly resolver: HandleResolver;
    readonly update: HandleUpdate;
}

/** Composes it, and registers the jobs. */
export function composeHandles(parts: HandleParts): Handles {

    const { catalog, policy, options: { uiBase }, ownBase, serviceInfo, hook } = parts;
    const records = new HandleRecords({ catalog, policy, uiBase, ownBase, serviceInfo, hook, adminIdentity: null });
    const update = new HandleUpdate({ ...parts, update: checkRecords({ ...parts, records }) });
    parts.jobs.register(update.kind);
    return { records, resolver: new HandleResolver({ records, policy, uiBase }), update };
}
