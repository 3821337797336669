/**
 * Disk space for the writer of one SQLite file: checks whether there is enough for a batch, and frees some without losing data.
 */

import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { DiskRules } from '../../disk-space.js';
import { freeBytes, releaseReserve } from '../../disk-space.js';
import type { SqliteFile } from './file.js';

/** Bytes that the smallest batch may need, with indexes and the log of the file. */
const MIN_BYTES = 128 * 1024;

/** Data is written to the log first, and to the file later, so it needs space twice. */
const COPIES = 2;

/** Multiple of the reserved space below which free space counts as tight, */
const TIGHT = 8;

/** and below which it counts as short. */
const SHORT = 2;

/** Milliseconds that freeing space may take: afterwards, and for a batch that would be rejected otherwise; and that it waits for readers of the log. */
const MAKING_MS = 100;
const DEMANDED_MS = 2000;
const READERS_MS = 200;

/** Bytes of free pages that are released at once: moving pages needs space in the log. */
const CUT_BYTES = 512 * 1024;

/** Disk space for one file; used by its writer only. */
export class DiskReserve {

    readonly #db: Sqlite.Database;
    readonly #file: SqliteFile;
    readonly #rules: DiskRules;
    readonly #pageSize: number;
    readonly #timeout: number;

    constructor(db: Sqlite.Database, file: SqliteFile, rules: DiskRules) {

        this.#db = db;
        this.#file = file;
        this.#rules = rules;
        this.#pageSize = db.pragma('page_size', { simple: true }) as number;
        this.#timeout = db.pragma('busy_timeout', { simple: true }) as number;
    }

    /** Returns whether this number of bytes can be written without using reserved space; frees space when it cannot. */
    has(bytes: number): boolean {

        const needed = this.#rules.minFree + Math.max(MIN_BYTES, bytes * COPIES);
        if (this.#rules.minFree === 0 || freeBytes(this.#rules) >= needed + this.#logBytes()) {
            return true;
        }

        this.make(needed, DEMANDED_MS);
        return freeBytes(this.#rules) >= needed + this.#logBytes();
    }

    /** True when hardly more than the reserved space is free. */
    get isShort(): boolean {

        return freeBytes(this.#rules) < Math.max(this.#rules.minFree + MIN_BYTES, this.#rules.minFree * SHORT);
    }

    /** True when so little is free that no file should keep free pages. */
    get isTight(): boolean {

        return freeBytes(this.#rules) < this.#rules.minFree * TIGHT;
    }

    /** Returns free pages and the log to the disk, until enough of it is free or nothing is left to return. */
    make(enough = Infinity, maxMs = MAKING_MS): void {

        const deadline = performance.now() + maxMs;
        this.#db.pragma(`busy_timeout = ${READERS_MS}`);
        try {
            do {
                const pages = Math.ceil(CUT_BYTES / this.#pageSize);
                const isCut = this.#freePages() > 0 && this.#db.pragma(`incremental_vacuum(${pages})`) !== undefined;
                this.#db.pragma('wal_checkpoint(TRUNCATE)');
                if (!isCut) {
                    return;
                }
            }
            while (this.#freePages() > 0 && freeBytes(this.#rules) < enough && performance.now() < deadline);
        }
        catch {
            // There is no space even for this, or a reader holds the log; retried later.
        }
        finally {
            this.#db.pragma(`busy_timeout = ${this.#timeout}`);
        }
    }

    /** Removes the reserve file; false when there is none. */
    release(): boolean {

        return releaseReserve(this.#rules);
    }

    #freePages(): number {

        return this.#db.pragma('freelist_count', { simple: true }) as number;
    }

    /** Bytes by which the file may grow when the log is written back. */
    #logBytes(): number {

        return statSync(`${this.#file.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    }
}
