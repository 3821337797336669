/** Errors and exit codes of commands. */

/** Exit codes, those of sysexits.h where it defines one. */
export const EXIT = { failed: 1, usage: 64, data: 65, noInput: 66, unavailable: 69, cannotCreate: 73, lost: 74, config: 78 } as const;

/** An error that the user can fix: printed as one line, without a stack trace. */
export class CommandError extends Error {

    readonly code: number;

    constructor(message: string, code: number) {

        super(message);
        this.code = code;
    }
}
