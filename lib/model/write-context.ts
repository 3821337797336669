/**
 * Who writes, and how: what accompanies every change of an object.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Caller } from './caller.js';
import type { StoredObject } from './stored-object.js';
import { ANONYMOUS_AUTHOR } from './caller.js';
import type { ScriptScope } from './script-scope.js';

/** An object that a request has in its hands while it runs a script. */
export interface Held {
    /** `change` while a change of the object is being worked out, `call` while a method of it runs. */
    readonly by: 'change' | 'call';
    /** Transaction number of what the script stored of the object itself; null when it did not. */
    lastWrite: number | null;
}

/** What a script runs within. What it asks for must not wait for its own request. */
export interface ScriptChain {
    /** Objects by id. */
    readonly held: ReadonlyMap<string, Held>;
    /** Of the script that waits for what is done here; null while none does. */
    readonly scope: ScriptScope | null;
}

/** Who writes, and how. */
export interface WriteContext {
    readonly caller: Caller;
    /** Do everything but store it. */
    readonly dryRun?: boolean;
    /** From the request, for hooks. */
    readonly requestContext?: JsonObject;
    /** Asked again about the object as it is when it is changed, because rights may have changed meanwhile. */
    readonly check?: (object: StoredObject) => void;
    /** Resolves when everything that came before in the same request is stored: what is referred to and not there may be among it. */
    readonly earlier?: (() => Promise<void>) | undefined;
    /** Set for what a script writes: no hooks run but the one for indexing, and locks are waited for a short time only. */
    readonly within?: ScriptChain;
}

/** Of requests that no script makes. */
export const NO_SCRIPT: ScriptChain = { held: new Map(), scope: null };

/** The chain for a script that runs while a request has an object in its hands. */
export function holding(id: string, held: Held, within: ScriptChain = NO_SCRIPT): ScriptChain {

    return { ...within, held: new Map([...within.held, [id, held]]) };
}

/** The name that metadata records for a caller. */
export function authorOf(caller: Caller): string {

    return caller.userId ?? ANONYMOUS_AUTHOR;
}
