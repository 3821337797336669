/**
 * Says why the files of an embedded database cannot be opened, where a retry is of no use.
 */

import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { UnusableDatabaseError } from '../../errors.js';
import type { SqliteFile } from './file.js';

const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_NOTADB', 'SQLITE_CORRUPT']);

const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/** First bytes of every SQLite file. */
const MAGIC = 'SQLite format 3\0';

/** Returns the error to report; the given one when it may pass. */
export function explainOpenError({ rows, blobs }: { readonly rows: SqliteFile; readonly blobs: SqliteFile }, error: unknown): unknown {

    const paths = [rows.path, blobs.path];
    const forbidden = paths.find((path) => isForbidden(path));
    if (forbidden !== undefined) {
        return new UnusableDatabaseError('forbidden', `${forbidden} cannot be opened: make it readable and writable for the user of the service`, error);
    }

    if (DAMAGED.has(codeOf(error)) || error instanceof Error && DAMAGED.has(codeOf(error.cause))) {
        const damaged = paths.filter((path) => isForeign(path));
        const named = (damaged.length === 0 ? paths : damaged).join(' or ');
        return new UnusableDatabaseError('damaged', `${named} is no SQLite database, or is damaged: restore it from a backup`, error);
    }

    return error;
}

function codeOf(error: unknown): string {

    return String((error as { code?: unknown } | undefined)?.code);
}

function isForbidden(path: string): boolean {

    try {
        accessSync(path, constants.R_OK | constants.W_OK);
        return false;
    }
    catch (error) {
        return FORBIDDEN.has((error as NodeJS.ErrnoException).code ?? '');
    }
}

/** Returns whether there is a file that does not begin as SQLite files do. */
function isForeign(path: string): boolean {

    const first = Buffer.alloc(MAGIC.length);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) {
        return false;                       // A file that is missing or empty is created anew
    }

    const file = openSync(path, 'r');
    try {
        readSync(file, first, 0, first.length, 0);
    }
    finally {
        closeSync(file);
    }

    return first.toString('latin1') !== MAGIC;
}
