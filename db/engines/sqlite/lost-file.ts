/**
 * Detects that one of the two files of an embedded database is missing while the other has data: the rest must not be taken for a
 * new repository, which would remove bytes that no object refers to.
 */

import { existsSync, renameSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { blobTables } from '../../migrations/002-payloads.js';
import type { SqliteFile } from './file.js';
import { LOGS, openSqlite } from './file.js';

/** Files of a database. */
interface Files {
    readonly rows: SqliteFile;
    readonly blobs: SqliteFile;
}

/** One of the files is missing or empty, and the other is not. */
export class LostFileError extends Error {

    constructor(lost: string, other: string) {

        super(`${lost} is missing or empty, but ${basename(other)} beside it is not: ${beforeRestore(lost)}restore it from a backup, ` +
            'or run "doip-gateway accept-loss" to go on without what was in it');
        this.name = 'LostFileError';
    }
}

/** What is to be done before a lost file is restored. */
function beforeRestore(lost: string): string {

    const logs = strayLogs(lost).map((path) => basename(path)).join(' and ');
    return logs === '' ? '' : `move ${logs} away, then `;
}

/** The logs of a file that is missing or empty. They would be written over one that takes its place. */
function strayLogs(path: string): readonly string[] {

    return isEmpty({ path }) ? LOGS.map((suffix) => path + suffix).filter((log) => existsSync(log)) : [];
}

/** Returns whether a query on one of the files has a result. */
type Answers = (file: SqliteFile, sql: string) => boolean;

/** Returns which file is lost; null when none is, or both are, as in a new folder. */
function findLoss({ rows, blobs }: Files, answers: Answers = answersOf): 'rows' | 'blobs' | null {

    const hasChunks = answers(blobs, 'select 1 from sqlite_schema where name = \'blob_chunks\'');
    const hasRows = answers(rows, 'select 1 from sqlite_schema where name = \'objects\'');
    if (hasChunks && !hasRows) {
        return 'rows';
    }

    // Without any object the first start was interrupted, and can be resumed. One table alone was left by an acceptance that was interrupted.
    const isWhole = hasChunks && answers(blobs, 'select 1 from sqlite_schema where name = \'blob_seals\'');
    return !isWhole && hasRows && answers(rows, 'select 1 from objects limit 1') ? 'blobs' : null;
}

/**
 * @param answers for files that are open already
 * @throws LostFileError when a file is lost
 */
export function rejectLoss(files: Files, answers?: Answers): void {

    const lost = findLoss(files, answers);
    if (lost) {
        throw new LostFileError(files[lost].path, files[lost === 'rows' ? 'blobs' : 'rows'].path);
    }
}

/**
 * Makes the next start go on without the lost file. Nothing is deleted: bytes without their objects are moved aside.
 *
 * @returns a sentence that says what was done
 */
export function acceptLoss(files: Files, now: Date): string {

    const lost = findLoss(files);
    if (lost === null) {
        return `no file of the database in ${dirname(files.rows.path)} is lost: nothing was changed`;
    }

    const time = now.toISOString().replace(/\W/g, '');
    strayLogs(files[lost].path).forEach((log) => renameSync(log, `${log}.${time}`));
    if (lost === 'blobs') {
        const db = openSqlite(files.blobs);
        db.transaction(() => blobTables('main').forEach((sql) => db.exec(sql)))();
        db.close();
        return `${files.blobs.path} is there again, empty: payloads that were in it are lost`;
    }

    const aside = `${files.blobs.path}.${time}`;
    openSqlite(files.blobs).close();            // Writes the log back and removes it
    renameSync(files.blobs.path, aside);
    return `the next start begins a new repository; the payloads of the lost one are in ${aside}`;
}

/** Does not open an empty or missing file, which would create it. */
function answersOf(file: SqliteFile, sql: string): boolean {

    if (isEmpty(file)) {
        return false;
    }

    const db = openSqlite(file);
    try {
        return db.prepare(sql).get() !== undefined;
    }
    finally {
        db.close();
    }
}

/** Returns whether a file is missing or empty. */
export function isEmpty({ path }: Pick<SqliteFile, 'path'>): boolean {

    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
