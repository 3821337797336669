/**
 * How the code of scripts is wrapped, and what the files of the sandbox are called: to find positions in stack traces.
 */

/** What stands before the source of a module, on its first line. */
export const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/** What the frames of these files are called in stacks. */
export const GUEST_FILE = 'sandbox:';
