/**
 * Primordials: built-in functions saved before any script runs, for code that must keep working when scripts replace them.
 */

type Method = (this: unknown, ...args: readonly never[]) => unknown;

const { apply } = Reflect;
const strings = String.prototype as unknown as Readonly<Record<string, Method>>;
const promises = Promise.prototype as unknown as Readonly<Record<string, Method>>;

export const { parse, stringify } = JSON;

/** Calls any callable. */
export function call(target: unknown, receiver: unknown, args: readonly unknown[]): unknown {

    return apply(target as Method, receiver, args);
}

/** `text.slice(start, end)`. */
export const slice = bound<[start: number, end: number], string>(strings['slice']);

/** `text.toWellFormed()`. */
export const toWellFormed = bound<[], string>(strings['toWellFormed']);

/** `text.lastIndexOf(part)`. */
export const lastIndexOf = bound<[part: string], number>(strings['lastIndexOf']);

/** `text.replace(pattern, replacement)`. */
export const replace = bound<[pattern: RegExp, replacement: string], string>(strings['replace']);

/** `promise.then(fulfilled, rejected)`. */
export const then = bound<[fulfilled:(value: unknown) => void, rejected: (error: unknown) => void], unknown>(promises['then']);

function bound<A extends readonly unknown[], R>(method: Method | undefined): (receiver: unknown, ...args: A) => R {

    return (receiver, ...args) => call(method, receiver, args) as R;
}
