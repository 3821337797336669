/**
 * Context of a write: caller, options, and the scripts it runs in.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Caller } from './caller.js';
import type { StoredObject } from './stored-object.js';
import { ANONYMOUS_AUTHOR } from './caller.js';
import type { ScriptScope } from './script-scope.js';

/** An object that a request is working on while it runs a script. */
export interface HeldLock {
    /** `change` while a change of the object is being prepared, `call` while one of its methods runs. */
    readonly by: 'change' | 'call';
    /** Transaction number of the last write of the object by the script itself; null if there is none. */
    lastWrite: number | null;
}

/** Chain of scripts that a write runs in. Its host calls must not wait for locks of their own request. */
export interface ScriptChain {
    /** Object id → state. */
    readonly locks: ReadonlyMap<string, HeldLock>;
    /** Scope of the script that waits for this write; null if there is none. */
    readonly scope: ScriptScope | null;
}

/** Context of a write. */
export interface WriteContext {
    readonly caller: Caller;
    /** True to do everything but store the object. */
    readonly dryRun?: boolean;
    /** From the request; passed to hooks. */
    readonly requestContext?: JsonObject;
    /** Repeats the access check on the object as it is at the time of the change, since rights may have changed meanwhile. */
    readonly check?: (object: StoredObject) => void;
    /** Resolves when all earlier writes of the same request are stored; a referenced object that is missing may be among them. */
    readonly beforeWrite?: (() => Promise<void>) | undefined;
    /** Set for writes by scripts: no hooks run but the one for indexing, and waiting for locks is limited to a short time. */
    readonly chain?: ScriptChain;
}

/** Chain of requests that run in no script. */
export const NO_SCRIPT: ScriptChain = { locks: new Map(), scope: null };

/** Returns the chain for a script that runs while a request works on an object. */
export function holding(id: string, held: HeldLock, parent: ScriptChain = NO_SCRIPT): ScriptChain {

    return { ...parent, locks: new Map([...parent.locks, [id, held]]) };
}

/** Returns the author that metadata records for a caller. */
export function authorOf(caller: Caller): string {

    return caller.userId ?? ANONYMOUS_AUTHOR;
}
