/**
 * Interface of object hooks as the object pipeline uses it. Knows nothing about how type code runs.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Acl, Metadata } from '../../doip/digital-object.js';
import type { Caller } from '../../model/caller.js';
import type { ScriptChain } from '../../model/write-context.js';

/** Properties of a hook. */
interface HookRule {
    /** `object`: the hook's return value or its modified argument replaces the object. `nothing`: the result is ignored. */
    readonly result: 'object' | 'nothing';
    /** HTTP code for a thrown string. */
    readonly rejectionStatus: 400 | 403;
    /** True if the hook runs after the change is stored: failures are only logged. */
    readonly isAfterWrite: boolean;
}

const rule = (result: HookRule['result'], rejectionStatus: HookRule['rejectionStatus'], isAfterWrite = false): HookRule => ({
    result, rejectionStatus, isAfterWrite
});

/** Object hooks: those of writes in the order they run, then those of reads and deletes. */
export const OBJECT_HOOKS = {
    /** Create and update, before any validation. May set the id of a new object. */
    beforeSchemaValidation: rule('object', 400),
    /** Create and update, once the id is known, before validation. */
    beforeSchemaValidationWithId: rule('object', 400),
    /** Create and update, after validation and extraction of secrets. */
    beforeStorage: rule('nothing', 400),
    /** Returns the form to be indexed; id and type stay. */
    objectForIndexing: rule('object', 400),
    /** Create and update, after storing and indexing; not in a dry run. */
    afterCreateOrUpdate: rule('nothing', 400, true),
    /** Read, also as a search result. */
    onObjectResolution: rule('object', 403),
    /** Read of the bytes of an element. */
    onPayloadResolution: rule('nothing', 403),
    /** Delete, and an update that changes the type, for the old type. */
    beforeDelete: rule('nothing', 403),
    afterDelete: rule('nothing', 403, true)
} as const satisfies Record<string, HookRule>;

/** Name of an object hook. */
export type ObjectHook = keyof typeof OBJECT_HOOKS;

/** An element in the form for scripts. */
export interface HookPayload {
    readonly name: string;
    readonly filename?: string;
    readonly mediaType?: string;
    /** Size in bytes. */
    readonly size: number;
}

/** An object in the form for scripts. */
export interface HookObject {
    /** Absent for a new object without id. */
    readonly id?: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    /** Absent for a new object. */
    readonly metadata?: Metadata;
    /** Absent if there are none. */
    readonly payloads?: readonly HookPayload[];
}

/** Context of a hook besides the object. */
export interface HookFacts {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    /** Additional members of the hook's `context`, besides those derived from caller and object. */
    readonly members: JsonObject;
    readonly chain: ScriptChain;
    /** True if nothing that the script writes is stored. */
    readonly isDryRun: boolean;
    /**
     * Called when it is decided which code runs, or that there is none any more, in the same turn: rights that depend on the type are to be checked
     * there, as the type may have changed since the request began. What it throws rejects the call.
     */
    readonly atStart?: (() => void) | undefined;
}

/** Generates ids for new objects. */
export interface IdGenerator {
    /** True to call it again when an id is taken. */
    readonly isLoopable: boolean;
    /** Returns an id; null to leave it to the service. */
    next(object: HookObject): Promise<string | null>;
}

/** Output that code wrote through `directIo` instead of returning a value. */
export interface DirectOutput {
    readonly bytes: Uint8Array;
    readonly mediaType?: string;
    readonly filename?: string;
}

/** Result of a hook for one object, or the error that rejected it. */
export type HookOutcome = { readonly value: JsonValue | undefined } | { readonly error: Error };

/** Runs object hooks. */
export interface Lifecycle {
    /** False if the type has no code, or its code is known to lack the hook: then there is nothing to call. */
    has(type: string, hook?: ObjectHook): boolean;
    /** False if neither the type nor the design has code that could generate ids. */
    mayGenerateIds(type: string): boolean;
    /**
     * Runs a hook of a type.
     *
     * @returns the changed object; undefined if the type has no such hook
     * @throws DoipError if the hook rejects or fails, except for hooks that run after the change is stored
     */
    run(hook: ObjectHook, type: string, object: HookObject, facts: HookFacts): Promise<JsonValue | undefined>;
    /**
     * Runs a hook on many objects of one type at once; outcomes in the order of the objects, with the failures of code.
     *
     * @throws DoipError 429, 500 or 503 if it could not be run for each of them
     */
    runAll(hook: ObjectHook, type: string, objects: readonly HookObject[], facts: HookFacts): Promise<readonly HookOutcome[]>;
    /**
     * Runs `onPayloadResolution`.
     *
     * @returns the output that replaces the bytes of the element; null to use these
     */
    resolvePayload(type: string, object: HookObject, facts: HookFacts): Promise<DirectOutput | null>;
    /** Returns the id generator of a type, else that of the design; null if there is none. */
    generator(type: string, facts: HookFacts): Promise<IdGenerator | null>;
}
