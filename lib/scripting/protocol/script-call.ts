/**
 * What is to be called in type code, and for whom.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ResultKind } from './messages.js';
import type { ScriptHost } from './script-host.js';
import type { EntryModule, Program } from './program.js';
import type { ScriptScope } from '../../model/script-scope.js';

/** A call of a function that a unit exports. */
export interface ScriptCall {
    readonly unit: EntryModule;
    readonly world: Program;
    /** Where the function is, such as `['beforeDelete']` or `['methods', 'count']`. */
    readonly path: readonly string[];
    /** Arguments before the context. */
    readonly args: readonly JsonValue[];
    /** The last argument. */
    readonly context: JsonObject;
    readonly takes: ResultKind;
    readonly directIo?: DirectIo;
    readonly host: ScriptHost;
    /** Whom the call is made for: one caller does not get all threads. Ignored with `within`. */
    readonly callerKey: string;
    /** Of the script that waits for what this call is a part of. */
    readonly within?: ScriptScope;
}

/** The same call for several lists of arguments. */
export interface ScriptCalls extends Omit<ScriptCall, 'args' | 'context' | 'directIo'> {
    readonly items: readonly CallItem[];
}

/** Input and output of a call that need not be JSON. */
export interface DirectIo {
    readonly input: { readonly bytes: Uint8Array; readonly filename?: string | undefined; readonly mediaType?: string | undefined } | null;
}

/** Where code is to be described. */
export interface DescribeOptions {
    readonly unit: EntryModule;
    readonly world: Program;
    readonly host: ScriptHost;
    readonly callerKey: string;
    /** As in {@link ScriptCall}. */
    readonly within?: ScriptScope;
}

/** Arguments of one call. */
export interface CallItem {
    readonly args: readonly JsonValue[];
    /** The last argument. */
    readonly context: JsonObject;
}
