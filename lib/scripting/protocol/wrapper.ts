/**
 * Wrapper around the code of scripts, and name of sandbox files: needed to find positions in stack traces.
 */

/** Precedes the source of a module on its first line. */
export const WRAPPER_PREFIX = '(function (exports, require, module, __filename, __dirname) {';

/** Prefix of sandbox files in stack traces. */
export const GUEST_FILE = 'sandbox:';
