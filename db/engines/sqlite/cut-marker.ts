/**
 * Remembers that a file was cut while it was in use. The next checkpoint, or the one at the end of the process, makes the file as long as it
 * was, with zeros for what is lost; then only a marker beside it tells, which keeps it from being opened.
 */

import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { UnusableDatabaseError } from '../../errors.js';
import { isCut } from './cut-file.js';
import type { SqliteFile } from './file.js';

/** Leaves a marker beside a file, unless there is one. */
export function markAsCut({ path }: SqliteFile): void {

    const marker = markerOf(path);
    if (existsSync(marker)) {
        return;
    }

    const file = openSync(marker, 'w', 0o600);
    try {
        writeSync(file, `The end of ${basename(path)} was missing at ${new Date().toISOString()}. Restore it from a backup, then remove this file.\n`);
        fsyncSync(file);
    }
    finally {
        closeSync(file);
    }
}

/**
 * Demands that a file which is not open was not cut, now or while it was in use. To be called before it is opened, as its log is written back
 * when it is closed.
 *
 * @throws UnusableDatabaseError
 */
export function rejectCut({ path }: Pick<SqliteFile, 'path'>): void {

    if (existsSync(markerOf(path))) {
        throw new UnusableDatabaseError('damaged', `${path} is damaged, as its end was missing while it was in use: restore it from a backup, and remove ` +
            `${basename(markerOf(path))} beside it`);
    }

    if (isCut(path)) {
        throw new UnusableDatabaseError('damaged', `${path} is damaged, as its end is missing: restore it from a backup`);
    }
}

function markerOf(path: string): string {

    return `${path}.cut`;
}
