/**
 * Who writes, and how: what accompanies every change of an object.
 */

import type { JsonObject } from '../doip/json.js';
import type { Caller } from '../identity/caller.js';
import type { StoredObject } from './stored-object.js';
import { ANONYMOUS_AUTHOR } from '../identity/caller.js';

/**
 * Objects that a request has in its hands while it runs a script, by id: `change` while a change of the object is being worked
 * out, `call` while a method of it runs. What the script writes must not wait for their locks, because it would wait for itself.
 */
export type HeldObjects = ReadonlyMap<string, 'change' | 'call'>;

/** Who writes, and how. */
export interface WriteContext {
    readonly caller: Caller;
    /** Do everything but store it. */
    readonly dryRun?: boolean;
    /** From the request, for hooks. */
    readonly requestContext?: JsonObject;
    /** Asked again about the object as it is when it is changed, because rights may have changed meanwhile. */
    readonly check?: (object: StoredObject) => void;
    /** Set for what a script writes: no hooks run but the one for indexing, and locks are waited for a short time only. */
    readonly within?: HeldObjects;
}

/** Held by requests that no script makes. */
export const NOTHING_HELD: HeldObjects = new Map();

/** The name that metadata records for a caller. */
export function authorOf(caller: Caller): string {

    return caller.userId ?? ANONYMOUS_AUTHOR;
}
