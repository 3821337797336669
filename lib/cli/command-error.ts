/** Errors and exit codes of commands. */

export { EXIT } from '../errors/exit-codes.js';

/** An error that the user can fix: printed as one line, without a stack trace. */
export class CommandError extends Error {

    readonly code: number;

    constructor(message: string, code: number) {

        super(message);
        this.code = code;
    }
}
