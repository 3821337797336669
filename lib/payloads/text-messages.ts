/**
 * What the thread that reads texts is told, and what it answers.
 */

import type { TextFormat } from './readers/text-format.js';
import type { ReadLimits } from './readers/text-reader.js';

/** One element after the other: it is begun, its bytes are given in order, it is ended. */
export type TextCall =
    | { readonly kind: 'begin'; readonly format: TextFormat; readonly limits: ReadLimits; readonly memory: number }
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'end' };

/** A text, or why there is none. */
export type TextResult = { readonly text: string; readonly reason: null } | { readonly text: null; readonly reason: string };

export interface TextAnswers {
    readonly begin: null;
    /** False when the rest is not wanted: the element is to be ended. */
    readonly bytes: boolean;
    readonly end: TextResult;
}
