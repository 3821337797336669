/**
 * The files of this folder run inside the sandbox, one copy per script context. They are not a security boundary: everything
 * scripts can reach through the bridge is checked on the other side. Nothing of Node.js exists here.
 */

/** What the worker provides to the sandbox. Errors it throws are visible to scripts. */
export interface Bridge {
    /** Returns the JSON text of `{ name, kind, text }` of a module. */
    find(from: string, specifier: string): string;
    /** Compiles the source of a module into a function, with the author's line numbers. Throws SyntaxError. */
    compile(name: string, text: string): (...parts: readonly unknown[]) => unknown;
    /** `about` is the id of the object that the script works on; empty if there is none. */
    log(level: string, text: string, about: string): void;
    /** Host call; arguments and result are JSON texts. An error is returned as `{"error":{message,status}}`. */
    ask(name: string, args: string): string;
    /** Host call that returns bytes; null if there are none. */
    askBytes(name: string, args: string): ArrayBuffer | null | string;
    /** Local host call; JSON texts. */
    compute(name: string, args: string): string;
    /** Returns the input of the running method. */
    input(): ArrayBuffer;
    /** Appends to the output of the running method. */
    output(bytes: ArrayBuffer): void;
    outputText(text: string): void;
}
