/**
 * The files of this folder run inside of the sandbox, one copy for each script context. They are no border of security: what
 * scripts can reach through the bridge is checked on its other side. Nothing of Node.js exists here.
 */

/** What the thread does for the sandbox. Throws what scripts may see. */
export interface Bridge {
    /** JSON text of `{ name, kind, text }` of a module. */
    find(from: string, specifier: string): string;
    /** The function around the source of a module, with the author's lines. Throws SyntaxError. */
    compile(name: string, text: string): (...parts: readonly unknown[]) => unknown;
    /** `about` is the id of the object that the script works on; empty when there is none. */
    log(level: string, text: string, about: string): void;
    /** Asks the service; arguments and result are JSON texts. A fault comes back as `{"error":{message,status}}`. */
    ask(name: string, args: string): string;
    /** The same for bytes; null where there are none. */
    askBytes(name: string, args: string): ArrayBuffer | null | string;
    /** Works something out on the spot; JSON texts. */
    compute(name: string, args: string): string;
    /** Bytes for the method that is running. */
    input(): ArrayBuffer;
    /** Adds to the output of the method that is running. */
    output(bytes: ArrayBuffer): void;
    outputText(text: string): void;
}
