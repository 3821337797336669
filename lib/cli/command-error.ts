/** Errors and exit codes of commands. */

import { EXIT } from '../errors/exit-codes.js';
import { Status } from '../errors/status.js';

export { EXIT } from '../errors/exit-codes.js';

/** An error that the user can fix: printed as one line, without a stack trace. */
export class CommandError extends Error {

    readonly code: number;

    constructor(message: string, code: number) {

        super(message);
        this.code = code;
    }
}

/** The error of a response that is no success. */
export function rejection(status: string, message: string): CommandError {

    const isDenied = status === Status.unauthenticated || status === Status.forbidden;
    const remedy = status === Status.unauthenticated && process.env['DOIP_TOKEN'] ? '; the token is that of DOIP_TOKEN' : '';
    return new CommandError(`${message}${remedy}${message === status ? '' : ` (${status})`}`, isDenied ? EXIT.noPermission : EXIT.failed);
}

/** Codes of errors of a disk on which nothing more can be written. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG']);

/** Throws the error of an output that ends early. */
export function incomplete(error: Error): never {

    const { code } = error as NodeJS.ErrnoException;
    throw error instanceof CommandError ? error :
        new CommandError(`the output is not complete: ${error.message}`, UNWRITABLE.has(code) ? EXIT.cannotCreate : EXIT.failed);
}

/** The error of a file that cannot be read. */
export function unreadable(file: string, { code, message }: Pick<NodeJS.ErrnoException, 'code' | 'message'>): CommandError {

    return new CommandError(code === 'EISDIR' ? `${file} is a folder, not a file` : `${file} cannot be read: ${message}`, EXIT.noInput);
}
