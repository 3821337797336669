/**
 * Detects that a file was cut. SQLite compares the length of a file with its header only where there is no write-ahead log: with one, pages
 * beyond the end of the file count as pages of the log, and the next checkpoint fills the gap with zeros. A page that is neither in the
 * file nor in the log is lost. Format of the log: https://sqlite.org/fileformat2.html#walformat
 */

import { closeSync, openSync, readSync, statSync } from 'node:fs';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Position of the salts in the header of the log, and in that of a frame: frames with others are of a former log. */
const LOG_SALTS = 16;
const FRAME_SALTS = 8;
const SALT_BYTES = 8;

/** The page at this byte is used for locks and never stored. */
const LOCK_BYTE = 2 ** 30;

/** A log that somebody waits for is not read when it is longer, which it hardly ever is: reading so much takes some milliseconds. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** Length of a database at one moment. */
export interface DatabaseLength {
    readonly pages: number;
    readonly pageSize: number;
    /** Bytes of its file, and of the log. */
    readonly fileBytes: number;
    readonly logBytes: number;
}

/** What a log holds. */
interface LogContent {
    readonly pageSize: number;
    /** Number of pages of the database after the last commit in the log; 0 when there is none. */
    readonly pages: number;
    /** Numbers of the pages that the file is too short for. */
    readonly beyond: ReadonlySet<number>;
}

/** Returns whether pages of a database that is not open are lost. False without a log: SQLite detects that itself. */
export function isCut(path: string): boolean {

    // Another process may write to it meanwhile: what is seen twice is true.
    return lacksPages(path) && lacksPages(path);
}

/** Measures a database. To be called in a read transaction, which keeps the log from being overwritten, like {@link isCutAt}. */
export function measure(path: string, { pages, pageSize }: Pick<DatabaseLength, 'pages' | 'pageSize'>): DatabaseLength {

    return { pages, pageSize, fileBytes: bytesOf(path), logBytes: bytesOf(logOf(path)) };
}

/** Returns whether pages are lost. */
export function isCutAt(path: string, { pages, pageSize, fileBytes, logBytes }: DatabaseLength): boolean {

    if (logBytes > MAX_LOG_BYTES) {
        return fileBytes + logBytes < pages * pageSize;
    }

    return fileBytes < pages * pageSize && lacks(pages, pageSize, fileBytes, readLog(path, fileBytes)?.beyond);
}

/** Returns the size of a file; 0 when it is missing. */
export function bytesOf(path: string): number {

    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lacksPages(path: string): boolean {

    const fileBytes = bytesOf(path);
    const log = fileBytes === 0 ? null : readLog(path, fileBytes);
    return log !== null && lacks(log.pages, log.pageSize, fileBytes, log.beyond) && bytesOf(path) === fileBytes;
}

function lacks(pages: number, pageSize: number, fileBytes: number, beyond: ReadonlySet<number> = new Set()): boolean {

    const lockPage = LOCK_BYTE / pageSize + 1;
    for (let page = Math.floor(fileBytes / pageSize) + 1; page <= pages; ++page) {
        if (!beyond.has(page) && page !== lockPage) {
            return true;
        }
    }

    return false;
}

/** Reads the headers of all frames; null without a log. */
function readLog(path: string, fileBytes: number): LogContent | null {

    if (bytesOf(logOf(path)) < LOG_HEADER_BYTES) {
        return null;
    }

    const file = openSync(logOf(path), 'r');
    try {
        const header = Buffer.alloc(LOG_HEADER_BYTES);
        readSync(file, header, 0, LOG_HEADER_BYTES, 0);
        const pageSize = header.readUInt32BE(8);
        const salts = header.subarray(LOG_SALTS, LOG_SALTS + SALT_BYTES);
        const frame = Buffer.alloc(FRAME_HEADER_BYTES);
        const beyond = new Set<number>();
        let pages = 0;
        for (let at = LOG_HEADER_BYTES; readSync(file, frame, 0, FRAME_HEADER_BYTES, at) === FRAME_HEADER_BYTES; at += FRAME_HEADER_BYTES + pageSize) {
            const page = frame.readUInt32BE(0);
            if (page === 0 || !frame.subarray(FRAME_SALTS, FRAME_SALTS + SALT_BYTES).equals(salts)) {
                break;
            }

            pages = frame.readUInt32BE(4) || pages;         // Only the last frame of a commit has the number of pages
            if (page * pageSize > fileBytes) {
                beyond.add(page);
            }
        }

        return { pageSize, pages, beyond };
    }
    finally {
        closeSync(file);
    }
}

function logOf(path: string): string {

    return `${path}-wal`;
}
