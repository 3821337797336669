/**
 * Messages to and from the thread that extracts texts.
 */

import type { TextFormat } from './readers/text-format.js';
import type { ReadLimits } from './readers/text-reader.js';

/** One element at a time: begin, its bytes in order, end. */
export type TextCall =
    | { readonly kind: 'begin'; readonly format: TextFormat; readonly limits: ReadLimits; readonly memory: number }
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'end' };

/** A text, or why there is none. */
export type TextResult = { readonly text: string; readonly reason: null } | { readonly text: null; readonly reason: string };

/** Results by kind of call. */
export interface TextAnswers {
    readonly begin: null;
    /** False when no more bytes are needed: send `end`. */
    readonly bytes: boolean;
    readonly end: TextResult;
}
