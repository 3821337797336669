/**
 * On whose behalf code is called.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { ScriptChain } from '../../model/write-context.js';

/** On whose behalf code is called, and how. */
export interface InvocationContext {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    readonly chain: ScriptChain;
    readonly isDryRun: boolean;
}
