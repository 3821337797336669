/**
 * Messages between the main thread and script workers. JSON texts and bytes only.
 */

import type { ScriptFailure } from './script-error.js';
import type { HostCallContext } from './script-host.js';

/** Limits of a worker, passed at its start. */
export interface ThreadOptions {
    /** Memory limit of one script context, in bytes. */
    readonly memoryBytes: number;
    /** Stack size of one script context, in bytes. */
    readonly stackBytes: number;
    /** Maximum length of one message from a script, in characters or bytes. */
    readonly maxMessageBytes: number;
}

/** Requested result of a call: the return value; the object (returned or edited in place); both; or neither. */
export type ResultKind = 'returned' | 'object' | 'both' | 'nothing';

/** To an idle worker: run something. */
export interface RunMessage {
    /** Number of the run in its worker, from 1. */
    readonly run: number;
    /** Module id of the code. */
    readonly unit: string;
    /** For the log. */
    readonly label: string;
    /** Version of the program in which modules are looked up. */
    readonly version: string;
    /** JSON text of {@link RunRequest}; null to describe the exports of the unit. */
    readonly request: string | null;
    /** JSON text of `originalObject` in the context of the only item, which has `null` in its place; null if there is none. */
    readonly original: string | null;
    /** Remaining time in ms. */
    readonly budget: number;
    /** Input for `directIo`. */
    readonly input: Uint8Array | null;
    /** True for one call whose return value is to be sent as a text of its own, if it is long. */
    readonly keepsText: boolean;
}

/** The part of a run that the sandbox parses. */
export interface RunRequest {
    /** Path of the function in the exports, such as `['methods', 'count']`. */
    readonly path: readonly string[];
    /** Arguments of each call; the context is the last one. */
    readonly items: readonly (readonly unknown[])[];
    readonly takes: ResultKind;
    /** Properties of the input; null without `directIo`. */
    readonly directIo: { readonly filename: string | null; readonly mediaType: string | null } | null;
}

/** From a worker. */
export type ThreadMessage =
    /** Ready for the first run. */
    | { readonly kind: 'ready' }
    /**
     * End of a run; `lines` contains the JSON text of an {@link ItemResult} per item, or of a description. `text` is that of the return value of
     * the only item, which has none then: strict JSON that the thread has checked; null if the value is in its line.
     */
    | { readonly kind: 'done'; readonly lines: string; readonly text: string | null; readonly output: readonly Uint8Array[]; readonly retire: boolean }
    | { readonly kind: 'failed'; readonly failure: ScriptFailure; readonly retire: boolean }
    /** Host call: the script waits for a reply on the synchronous channel. */
    | { readonly kind: 'ask'; readonly requestId: number; readonly name: string; readonly args: string }
    /** `about` is the id of the object that the script works on; empty if there is none. */
    | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string; readonly about: string };

/** Log levels of scripts. */
export type LogLevel = 'info' | 'warn' | 'error';

/** Result of one call as written by the sandbox. Untrusted. */
export interface ItemResult {
    readonly returned?: unknown;
    readonly object?: unknown;
    readonly output?: { readonly filename?: unknown; readonly mediaType?: unknown };
    readonly failure?: unknown;
}

/** Reply to a host call. */
export type Reply =
    | { readonly text: string }
    | { readonly bytes: Uint8Array }
    | { readonly error: { readonly message: string; readonly status: number | string } };

/** Message for a host call whose result is longer than a message may be. */
export function tooLongAnswer(name: string, limit: number): string {

    return `the answer to ${name} is longer than ${limit} bytes`;
}

/** Outcome of a run. */
export type RunOutcome =
    | { readonly kind: 'done'; readonly lines: string; readonly text: string | null; readonly output: readonly Uint8Array[] }
    | { readonly kind: 'failed'; readonly failure: ScriptFailure };

/** One run. */
export interface Run {
    readonly message: Omit<RunMessage, 'run' | 'budget'>;
    readonly context: HostCallContext;
    /** Deadline of the script, on the clock of `performance.now()`; the start of a thread counts too. */
    readonly deadline: number;
    readonly log: (level: LogLevel, text: string, about: string) => void;
}
