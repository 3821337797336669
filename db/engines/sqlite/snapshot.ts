/**
 * Copies an embedded database as it was at one moment, also while another process writes to it.
 *
 * A read transaction on each file is a snapshot of it (write-ahead log). The two belong together if the file with the rows did not
 * change while both were opened; this takes microseconds, so it is repeated until it is the case.
 */

import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { demandDriver } from '../../sqlite-driver.js';
import { DatabaseError } from '../../errors.js';
import { makePrivate } from '../../private-files.js';
import { rejectCut } from './cut-marker.js';
import { isFull, sqliteFiles } from './file.js';

/** Called with the number of copied bytes, and the total. */
export type OnCopied = (bytes: number, total: number) => void;

/** A file that the copy needs does not exist. */
export class NoDatabaseError extends Error {

    constructor(path: string) {

        super(`${path} does not exist`);
        this.name = 'NoDatabaseError';
    }
}

/** Attempts to open both files at one moment: each succeeds unless a commit falls into some microseconds. */
const MAX_ATTEMPTS = 10_000;

/** Timeout for locks, which only a start or a stop of the service holds, for a moment. */
const TIMEOUT_MS = 10_000;

/** Bytes that are copied at once. */
const STEP_BYTES = 1024 * 1024;

/** Returns the bytes of the files of a database, as copies of them would have. @throws NoDatabaseError, and UnusableDatabaseError when one was cut */
export function snapshotBytes(folder: string): number {

    return withSnapshot(folder, ({ rows, blobs }) => bytesOf(rows) + bytesOf(blobs));
}

/**
 * Copies both files to another folder, which exists, under the same names: no writer waits for it. The copies need no other file.
 *
 * @throws NoDatabaseError when there is no database
 * @throws UnusableDatabaseError when a file was cut
 * @throws DatabaseError when there is no space for the copies
 */
export async function copySnapshot(folder: string, target: string, onCopied: OnCopied = () => {}): Promise<void> {

    const copies = sqliteFiles(target);
    await withSnapshot(folder, async ({ rows, blobs }) => {

        const [rowBytes, blobBytes] = [bytesOf(rows), bytesOf(blobs)];
        const total = rowBytes + blobBytes;
        await copyFile(rows, copies.rows.path, (done) => onCopied(done, total));
        release(rows);              // Its log, which most writes go to, can be written back again
        await copyFile(blobs, copies.blobs.path, (done) => onCopied(rowBytes + done, total));
        release(blobs);
    });
}

/** Copies one file of a database. @throws DatabaseError when there is no space */
export async function copyDatabaseFile(path: string, target: string): Promise<void> {

    const db = openSource(path);
    try {
        hold(db);
        await copyFile(db, target, () => {});
    }
    finally {
        db.close();
    }
}

interface Snapshot {
    readonly rows: Sqlite.Database;
    readonly blobs: Sqlite.Database;
}

function withSnapshot<T>(folder: string, use: (snapshot: Snapshot) => T): T {

    const files = sqliteFiles(folder);
    const opened: Sqlite.Database[] = [];
    const open = (path: string): Sqlite.Database => {

        const db = openSource(path);
        opened.push(db);
        return db;
    };

    const close = (): void => opened.forEach((db) => db.close());
    let result: T;
    try {
        const snapshot = { rows: open(files.rows.path), blobs: open(files.blobs.path) };
        holdBoth(snapshot, open(files.rows.path));
        result = use(snapshot);
    }
    catch (error) {
        close();
        throw error;
    }

    if (result instanceof Promise) {
        return result.finally(close) as T;
    }

    close();
    return result;
}

/** `probe` is a third connection: it sees commits that the ones with a snapshot do not see. */
function holdBoth({ rows, blobs }: Snapshot, probe: Sqlite.Database): void {

    for (let attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
        const before = probe.pragma('data_version', { simple: true });
        hold(rows);
        hold(blobs);
        if (probe.pragma('data_version', { simple: true }) === before) {
            return;
        }

        release(rows);
        release(blobs);
    }

    throw new Error('the database changes too fast for a snapshot of its two files');
}

function hold(db: Sqlite.Database): void {

    db.exec('begin');
    db.prepare('select 1 from sqlite_schema limit 1').get();    // A transaction begins with its first read
}

function release(db: Sqlite.Database): void {

    db.exec('commit');
}

/** Not opened as read-only: the last connection removes the log of a stopped service only if it may write. */
function openSource(path: string): Sqlite.Database {

    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
        throw new NoDatabaseError(path);
    }

    rejectCut({ path });            // A copy would hide it
    demandDriver();
    const db = new Sqlite(path, { timeout: TIMEOUT_MS, fileMustExist: true });
    db.pragma('query_only = ON');
    return db;
}

async function copyFile(source: Sqlite.Database, target: string, onCopied: (bytes: number) => void): Promise<void> {

    const pageSize = source.pragma('page_size', { simple: true }) as number;
    makePrivate(target);
    try {
        await source.backup(target, {
            progress({ totalPages, remainingPages }) {

                onCopied((totalPages - remainingPages) * pageSize);
                return Math.ceil(STEP_BYTES / pageSize);
            }
        });
        onCopied(bytesOf(source));
        const copy = new Sqlite(target);
        copy.pragma('journal_mode = DELETE');       // So that readers of the copy create no files beside it
        copy.close();
    }
    catch (error) {
        throw isFull(error) || (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new DatabaseError('full', 'there is no space for the copy', error) : error;
    }
}

function bytesOf(db: Sqlite.Database): number {

    return ['page_count', 'page_size'].reduce((product, name) => product * (db.pragma(name, { simple: true }) as number), 1);
}
