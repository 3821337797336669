/**
 * Calls of type code.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ResultKind } from './messages.js';
import type { ScriptHost } from './script-host.js';
import type { EntryModule, Program } from './program.js';
import type { ScriptScope } from '../../model/script-scope.js';

/** A call of an exported function. */
export interface ScriptCall extends CallItem {
    readonly unit: EntryModule;
    readonly program: Program;
    /** Path of the function, such as `['beforeDelete']` or `['methods', 'count']`. */
    readonly path: readonly string[];
    readonly takes: ResultKind;
    /** True to get a long return value as text, unparsed; for one call. */
    readonly keepsText?: boolean;
    readonly directIo?: DirectIo;
    readonly host: ScriptHost;
    /** Key of the caller for fair scheduling; ignored with `scope`. */
    readonly callerKey: string;
    /** Scope of the script that waits for this call. */
    readonly scope?: ScriptScope;
}

/** Calls of one function with several lists of arguments. */
export interface ScriptCalls extends Omit<ScriptCall, 'args' | 'context' | 'directIo'> {
    readonly items: readonly CallItem[];
}

/** Non-JSON input and output of a call. */
export interface DirectIo {
    readonly input: { readonly bytes: Uint8Array; readonly filename?: string | undefined; readonly mediaType?: string | undefined } | null;
}

/** Request for the exports of a unit. */
export type DescribeOptions = Pick<ScriptCall, 'unit' | 'program' | 'host' | 'callerKey' | 'scope'>;

/** Arguments of one call. */
export interface CallItem {
    /** Those before the context. */
    readonly args: readonly JsonValue[];
    /** The last argument. */
    readonly context: JsonObject;
}
