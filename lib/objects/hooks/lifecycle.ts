/**
 * The moments in the life of an object at which code of its type is asked, as the object pipeline sees them. Who runs that
 * code, and how, is not known here.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Acl, Metadata } from '../../doip/digital-object.js';
import type { Caller } from '../../model/caller.js';
import type { ScriptChain } from '../../model/write-context.js';

/** What is said of one hook. */
interface HookRule {
    /** `object`: what the hook returns, or made of its argument, takes the place of the object. `nothing`: it is not looked at. */
    readonly result: 'object' | 'nothing';
    /** HTTP code of a refusal: of a thrown string. */
    readonly refusal: 400 | 403;
    /** True when the deed is done: a failure is logged and changes nothing any more. */
    readonly isTooLate: boolean;
}

const rule = (result: HookRule['result'], refusal: HookRule['refusal'], isTooLate = false): HookRule => ({ result, refusal, isTooLate });

/** The hooks of objects, in the order in which a write meets them, then those of reading and deleting. */
export const OBJECT_HOOKS = {
    /** Create and update, before anything is checked. May set the id of a new object. */
    beforeSchemaValidation: rule('object', 400),
    /** Create and update, when the id is known, before validation. */
    beforeSchemaValidationWithId: rule('object', 400),
    /** Create and update, after validation, with all secrets taken out. */
    beforeStorage: rule('nothing', 400),
    /** What the index is told instead of the object; its id and type stay. */
    objectForIndexing: rule('object', 400),
    /** Create and update, after storing and indexing; not in a dry run. */
    afterCreateOrUpdate: rule('nothing', 400, true),
    /** An object that is about to be shown, on its own or as a result of a search. */
    onObjectResolution: rule('object', 403),
    /** Bytes of an element that are about to be shown. */
    onPayloadResolution: rule('nothing', 403),
    /** Delete, and an update that changes the type, for the type that is left. */
    beforeDelete: rule('nothing', 403),
    afterDelete: rule('nothing', 403, true)
} as const satisfies Record<string, HookRule>;

/** The name of a hook of objects. */
export type ObjectHook = keyof typeof OBJECT_HOOKS;

/** An element as scripts see it. */
export interface HookPayload {
    readonly name: string;
    readonly filename?: string;
    readonly mediaType?: string;
    /** Bytes. */
    readonly size: number;
}

/** An object as scripts see it. */
export interface HookObject {
    /** Absent while a new object has no id. */
    readonly id?: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    /** Absent while the object is new. */
    readonly metadata?: Metadata;
    /** Absent when there are none. */
    readonly payloads?: readonly HookPayload[];
}

/** What a hook is told beside the object. */
export interface HookFacts {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    /** Further members of the hook's `context`, besides those that follow from the caller and the object. */
    readonly members: JsonObject;
    readonly chain: ScriptChain;
    /** The script may try everything, and nothing of what it writes is stored. */
    readonly isDryRun: boolean;
}

/** Makes ids for new objects. */
export interface IdGenerator {
    /** Whether it is to be asked again when an id is taken. */
    readonly isLoopable: boolean;
    /** An id; null to leave it to the service. */
    next(object: HookObject): Promise<string | null>;
}

/** What code wrote by itself, instead of returning a value. */
export interface DirectOutput {
    readonly bytes: Uint8Array;
    readonly mediaType?: string;
    readonly filename?: string;
}

/** What a hook made of one object, or why it refused it. */
export type HookOutcome = { readonly value: JsonValue | undefined } | { readonly error: Error };

/** Asks the code of types. */
export interface Lifecycle {
    /** False when the type has no code, or has it and it is known to lack the hook; then there is nothing to call. */
    has(type: string, hook?: ObjectHook): boolean;
    /** False when neither the type nor the design has code that could make ids. */
    mayGenerateIds(type: string): boolean;
    /**
     * Runs a hook of a type.
     *
     * @returns what it made of the object; undefined when the type has no such hook
     * @throws DoipError when it refuses or fails, unless it is too late for that
     */
    run(hook: ObjectHook, type: string, object: HookObject, facts: HookFacts): Promise<JsonValue | undefined>;
    /** Runs a hook on many objects of one type in one go; outcomes in the order of the objects. */
    runAll(hook: ObjectHook, type: string, objects: readonly HookObject[], facts: HookFacts): Promise<readonly HookOutcome[]>;
    /**
     * Runs `onPayloadResolution`.
     *
     * @returns what is shown instead of the bytes of the element; null to show these
     */
    resolvePayload(type: string, object: HookObject, facts: HookFacts): Promise<DirectOutput | null>;
    /** The generator of ids of a type, else that of the design; null when there is none. */
    generator(type: string, facts: HookFacts): Promise<IdGenerator | null>;
}

/** The lifecycle of objects without any code. */
export const WITHOUT_CODE: Lifecycle = {
    has: () => false,
    mayGenerateIds: () => false,
    run: () => Promise.resolve(undefined),
    runAll: (hook, type, objects) => Promise.resolve(objects.map(() => ({ value: undefined }))),
    resolvePayload: () => Promise.resolve(null),
    generator: () => Promise.resolve(null)
};
