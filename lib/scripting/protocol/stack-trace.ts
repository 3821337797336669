/**
 * Stack traces and positions in terms of the author's source: without frames of the sandbox, and without the wrapper that
 * precedes a module.
 */

import { WRAPPER_PREFIX, GUEST_FILE } from './wrapper.js';

/** Frame of a function call by the sandbox itself. */
const NATIVE = /^\s*at apply \(native\)$/;

const FIRST_LINE = /:1:(\d+)(\)?)$/;

/** Returns the frames in sources of authors. */
export function authorStack(stack: string): string {

    return stack.split('\n').filter((frame) => frame.trim() !== '' && !frame.includes(GUEST_FILE) && !NATIVE.test(frame))
        .map((frame) => frame.trimEnd().replace(FIRST_LINE, (_all, column: string, end: string) => `:1:${Math.max(1, Number(column) - WRAPPER_PREFIX.length)}${end}`))
        .join('\n');
}

/** Returns the first position (1-based) in a module that a stack of an author names; null if there is none. */
export function positionIn(stack: string, module: string): { line: number; column: number } | null {

    for (const frame of stack.split('\n')) {
        const start = frame.indexOf(`${module}:`);
        const found = start === -1 ? null : /^(\d+):(\d+)/.exec(frame.slice(start + module.length + 1));
        if (found) {
            return { line: Number(found[1]), column: Number(found[2]) };
        }
    }

    return null;
}
