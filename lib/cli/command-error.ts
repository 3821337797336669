/**
 * How commands end when something is wrong.
 */

/** Exit codes, after sysexits.h where it has one. */
export const EXIT = { failed: 1, usage: 64, data: 65, noInput: 66, unavailable: 69, cannotCreate: 73, lost: 74, config: 78 } as const;

/** Something that whoever called can mend: one line, no stack. */
export class CommandError extends Error {

    readonly code: number;

    constructor(message: string, code: number) {

        super(message);
        this.code = code;
    }
}
