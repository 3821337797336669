/**
 * What the main thread and the threads that run scripts tell each other. JSON texts and bytes only.
 */

import type { ScriptFailure } from './script-error.js';
import type { HostCallContext } from './script-host.js';

/** Limits of a thread, given at its start. */
export interface ThreadOptions {
    /** Bytes that one script context may use. */
    readonly memoryBytes: number;
    /** Bytes of stack of one script context. */
    readonly stackBytes: number;
    /** Longest text or bytes that a script may hand over in one piece. */
    readonly crossingBytes: number;
}

/** What is taken from a call: what was returned; the object, returned or else edited in place; both; or neither. */
export type ResultKind = 'returned' | 'object' | 'both' | 'nothing';

/** To a thread that is idle: run something. */
export interface RunMessage {
    /** Counts the runs of a thread, from 1. */
    readonly run: number;
    /** Module id of the code. */
    readonly unit: string;
    /** For the log. */
    readonly label: string;
    /** Of the world that modules are looked up in. */
    readonly version: string;
    /** JSON text of {@link RunRequest}, or null to tell what the unit exports. */
    readonly request: string | null;
    /** JSON text of `originalObject` in the context of the only item, where `null` holds its place; null when there is none. */
    readonly original: string | null;
    /** Milliseconds that are left. */
    readonly budget: number;
    /** Bytes that the script may read through `directIo`. */
    readonly input: Uint8Array | null;
}

/** The part of a run that the sandbox reads. */
export interface RunRequest {
    /** Where the function is in the exports, such as `['methods', 'count']`. */
    readonly path: readonly string[];
    /** Arguments for each call; the last one is the context. */
    readonly items: readonly (readonly unknown[])[];
    readonly takes: ResultKind;
    /** Facts about input; null without `directIo`. */
    readonly directIo: { readonly filename: string | null; readonly mediaType: string | null } | null;
}

/** From a thread. */
export type ThreadMessage =
    /** It can be given something to run. */
    | { readonly kind: 'ready' }
    /** The run has ended; `lines` has the JSON text of an {@link ItemResult} for each item, or of a description. */
    | { readonly kind: 'done'; readonly lines: string; readonly output: readonly Uint8Array[]; readonly retire: boolean }
    | { readonly kind: 'failed'; readonly failure: ScriptFailure; readonly retire: boolean }
    /** The script waits for an answer, which goes to the line of the thread. */
    | { readonly kind: 'ask'; readonly question: number; readonly name: string; readonly args: string }
    /** `about` is the id of the object that the script works on; empty when there is none. */
    | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string; readonly about: string };

/** Levels at which scripts log. */
export type LogLevel = 'info' | 'warn' | 'error';

/** What one call came to, as the sandbox writes it. Nothing in it can be trusted. */
export interface ItemResult {
    readonly returned?: unknown;
    readonly object?: unknown;
    readonly output?: { readonly filename?: unknown; readonly mediaType?: unknown };
    readonly failure?: unknown;
}

/** The answer to a question of a script. */
export type Reply =
    | { readonly text: string }
    | { readonly bytes: Uint8Array }
    | { readonly error: { readonly message: string; readonly status: number | string } };

/** What came of a run. */
export type RunOutcome =
    | { readonly kind: 'done'; readonly lines: string; readonly output: readonly Uint8Array[] }
    | { readonly kind: 'failed'; readonly failure: ScriptFailure };

/** One run. */
export interface Run {
    readonly message: Omit<RunMessage, 'run' | 'budget'>;
    readonly desk: HostCallContext;
    /** When the script must have ended, as `performance.now()` counts; the start of a thread counts as well. */
    readonly deadline: number;
    readonly log: (level: LogLevel, text: string, about: string) => void;
}
