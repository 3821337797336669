/**
 * Stacks and positions as the author of a script knows the source: without frames of the sandbox, without the head that stands
 * before a module.
 */

import { HEAD, GUEST_FILE } from './wrapper.js';

/** How the sandbox itself calls functions. */
const NATIVE = /^\s*at apply \(native\)$/;

const FIRST_LINE = /:1:(\d+)(\)?)$/;

/** A place in a source; both count from 1. */
export interface Position {
    readonly line: number;
    readonly column: number;
}

/** The frames that lie in sources of authors. */
export function authorStack(stack: string): string {

    return stack.split('\n').filter((frame) => frame.trim() !== '' && !frame.includes(GUEST_FILE) && !NATIVE.test(frame))
        .map((frame) => frame.trimEnd().replace(FIRST_LINE, (_all, column: string, end: string) => `:1:${withoutHead(Number(column))}${end}`))
        .join('\n');
}

/** The first place that a stack of an author names in a module; null when it names none. */
export function positionIn(stack: string, module: string): Position | null {

    for (const frame of stack.split('\n')) {
        const start = frame.indexOf(`${module}:`);
        const found = start === -1 ? null : /^(\d+):(\d+)/.exec(frame.slice(start + module.length + 1));
        if (found) {
            return { line: Number(found[1]), column: Number(found[2]) };
        }
    }

    return null;
}

function withoutHead(column: number): number {

    return Math.max(1, column - HEAD.length);
}
