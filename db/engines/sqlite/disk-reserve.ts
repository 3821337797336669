/**
 * Room on the disk for the writer of one SQLite file: whether there is enough for a batch, and how to make some without
 * anything being lost.
 */

import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { DiskRules } from './disk-space.js';
import { freeBytes, giveUpReserve } from './disk-space.js';
import type { SqliteFile } from './file.js';

/** What the smallest batch may need, with indexes and the log of the file. */
export const MIN_BYTES = 128 * 1024;

/** What is written goes into the log first, and later into the file: that often it needs room. */
const COPIES = 2;

/** A disk with so many times what must stay free has room for everybody. */
const TIGHT = 8;

/** … and one with so many times of it has room at all. */
const SHORT = 2;

/** Milliseconds that making room may take, and that it waits for readers of the log. */
const MAKING_MS = 100;
const READERS_MS = 200;

/** Bytes of free pages that are cut off at once: moving pages there needs room in the log. */
const CUT_BYTES = 512 * 1024;

export class SqliteRoom {

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

    /** Whether so many bytes can be written and leave free what must stay free; makes room when they cannot. */
    has(bytes: number): boolean {

        const needed = this.#rules.minFree + Math.max(MIN_BYTES, bytes * COPIES);
        if (this.#rules.minFree === 0 || freeBytes(this.#rules) >= needed + this.#logBytes()) {
            return true;
        }

        this.make(needed);
        return freeBytes(this.#rules) >= needed + this.#logBytes();
    }

    /** True when little more is free than must stay free. */
    get isShort(): boolean {

        return freeBytes(this.#rules) < Math.max(this.#rules.minFree + MIN_BYTES, this.#rules.minFree * SHORT);
    }

    /** True when so little is free that no file should keep room for later. */
    get isTight(): boolean {

        return freeBytes(this.#rules) < this.#rules.minFree * TIGHT;
    }

    /** Gives free pages and the log back to the disk, until so much of it is free or nothing is left to give. */
    make(wanted = Infinity): void {

        const deadline = performance.now() + MAKING_MS;
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
            while (this.#freePages() > 0 && freeBytes(this.#rules) < wanted && performance.now() < deadline);
        }
        catch {
            // Not even that has room, or somebody else reads: what cannot be given back now is given back another time.
        }
        finally {
            this.#db.pragma(`busy_timeout = ${this.#timeout}`);
        }
    }

    /** Gives up the reserve file; false when there is none. */
    giveUp(): boolean {

        return giveUpReserve(this.#rules);
    }

    #freePages(): number {

        return this.#db.pragma('freelist_count', { simple: true }) as number;
    }

    /** What the file may grow by when the log is written back. */
    #logBytes(): number {

        return statSync(`${this.#file.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    }
}
