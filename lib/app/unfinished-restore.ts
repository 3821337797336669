/**
 * Detects a restore that was killed: a server must neither begin a new repository where one was about to be restored, nor take a part of it
 * for the whole.
 */

import { readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFiles } from '../../db/engines/sqlite/file.js';

/** Folder for files that are not complete yet, in the folder that is restored to. It is removed last. */
export const RESTORE_DRAFTS = 'restore.part';

/** A restore to the data folder was interrupted. */
export class UnfinishedRestoreError extends Error {

    constructor(folder: string) {

        super(`${folder} has an unfinished restore: run "doip-gateway restore" again, or remove ${RESTORE_DRAFTS} there to do without it`);
        this.name = 'UnfinishedRestoreError';
    }
}

/**
 * Finishes a restore that lacked nothing but the removal of its empty folder. The caller has locked the data folder.
 *
 * @throws UnfinishedRestoreError when it lacked more
 */
export function rejectUnfinishedRestore(folder: string): void {

    const drafts = join(folder, RESTORE_DRAFTS);
    const found = statSync(drafts, { throwIfNoEntry: false });
    if (!found) {
        return;
    }

    const isComplete = Object.values(sqliteFiles(folder)).every(({ path }: { path: string }) => statSync(path, { throwIfNoEntry: false }));
    if (!isComplete || !found.isDirectory() || readdirSync(drafts).length > 0) {
        throw new UnfinishedRestoreError(folder);
    }

    rmdirSync(drafts);
}
