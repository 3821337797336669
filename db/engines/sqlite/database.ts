/**
 * Embedded database: two files in one folder, `repository.sqlite` with the rows and `blobs.sqlite` with the bytes. Reads are
 * synchronous on the main thread; each file has a writer thread.
 */

import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
    BlobDatabase, ChunkPart, ChunkTotals, CommitObserver, CommitResult, Database, DatabaseCondition, DatabaseUsage, Row, SqlValue, Statement, Unit
} from '../../database.js';
import type { DiskRules } from '../../disk-space.js';
import { diskRules, freeBytes, releaseReserve, keepReserve, reserveBytes } from '../../disk-space.js';
import { DatabaseError } from '../../errors.js';
import { skipStoredBlobs } from './blob-numbers.js';
import { markAsCut, rejectCut } from './cut-marker.js';
import { isEmpty, rejectLoss } from './lost-file.js';
import type { Log } from '../../log.js';
import type { SqliteFiles } from './file.js';
import { sqliteFiles } from './file.js';
import { SqliteReader } from './reader.js';
import { inodeOf, measureChunks, readChunk, readPart } from './shared-reads.js';
import { SqliteWriter, type StartThread } from './writer.js';
import { migrateSqlite } from './migrate.js';
import { LIST_BLOBS } from '../../statements.js';

interface OpenOptions {
    readonly minFree?: number | null | undefined;
    readonly onCommitted?: CommitObserver | undefined;
    readonly startThread?: StartThread | undefined;
}

/**
 * Opens the database of an existing data folder.
 *
 * @param options `minFree`: bytes of the disk to keep free; default depends on its size
 */
export function openSqliteDatabase(dataDir: string, log: Log, options: OpenOptions = {}): Database {

    const disk = diskRules(dataDir, options.minFree);
    if (freeBytes(disk) < reserveBytes(disk) && releaseReserve(disk)) {
        log.warn({ event: 'disk.reserve-released', folder: dataDir }, 'disk full, reserve file released');
    }

    return new SqliteDatabase(sqliteFiles(dataDir, disk), log, {
        disk, onCommitted: options.onCommitted ?? (() => {}), startThread: options.startThread
    });
}

/** Interval for checking the disk space and the files, in milliseconds. */
const CHECK_MS = 5000;

/** Timeout for the writer when checking whether the disk is full, in milliseconds. */
const WRITER_MS = 500;

interface SqliteSetting {
    readonly disk: DiskRules;
    readonly onCommitted: CommitObserver;
    readonly startThread: StartThread | undefined;
}

class SqliteDatabase implements Database {

    readonly dialect = 'sqlite';
    readonly blobs: BlobDatabase;
    readonly #files: SqliteFiles;
    readonly #log: Log;
    readonly #disk: DiskRules;
    readonly #diskTimer: NodeJS.Timeout;
    /** Files that were cut, and reported. */
    readonly #cut = new Set<SqliteReader>();
    /** Removes what is no longer needed. */
    #makeSpace: (() => Promise<unknown>) | null = null;
    #revision = 0;
    readonly #reader: SqliteReader;
    readonly #blobReader: SqliteReader;
    /** Inodes of the files when they were opened. */
    readonly #inodes: readonly [number | null, number | null];
    readonly #writer: SqliteWriter;
    readonly #blobWriter: SqliteWriter;

    constructor(files: SqliteFiles, log: Log, { disk, onCommitted, startThread }: SqliteSetting) {

        this.#disk = disk;
        this.#files = files;
        this.#log = log;
        [this.#reader, this.#blobReader] = openReaders(files);
        this.#inodes = [inodeOf(files.rows), inodeOf(files.blobs)];
        this.#writer = new SqliteWriter({ file: files.rows, disk }, log, { startThread });
        this.#blobWriter = new SqliteWriter({ file: files.blobs, disk }, log, { startThread });
        this.#writer.onCommitted = (seconds, units) => onCommitted('rows', seconds, units);
        this.#blobWriter.onCommitted = (seconds, units) => onCommitted('blobs', seconds, units);
        this.blobs = new SqliteBlobs(this.#blobReader, this.#blobWriter, (error) => this.#hasMadeSpace(error));
        this.#diskTimer = setInterval(() => {

            this.#checkDisk();
            this.#checkFiles();
        }, CHECK_MS).unref();
        setImmediate(() => this.#checkDisk());
    }

    async read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#reader.all(statement.sql, bindings) as R[];
    }

    get revision(): number {

        return this.#revision;
    }

    async commit(unit: Unit): Promise<CommitResult> {

        try {
            return await this.#writer.commit(unit);
        }
        catch (error) {
            if (unit.essential !== true && await this.#hasMadeSpace(error)) {
                return await this.#writer.commit(unit);
            }

            throw error;
        }
        finally {
            // Also after an error: a writer that crashed may have committed before.
            this.#revision += 1;
        }
    }

    useSpaceMaker(makeSpace: () => Promise<unknown>): void {

        this.#makeSpace = makeSpace;
    }

    async migrate(): Promise<void> {

        await migrateSqlite(this.#files, this.#log, { disk: this.#disk });
        await skipStoredBlobs({ rows: this.#reader, blobs: this.#blobReader, writer: this.#writer, log: this.#log });
        this.#writer.prepare();
    }

    now(): number {

        return Date.now();
    }

    async ping(): Promise<void> {

        this.#reader.all('select 1', []);
        this.#blobReader.all('select 1', []);
        // Open files stay usable after they were removed or replaced, but what is written to them is lost.
        const { rows, blobs } = this.#files;
        if (inodeOf(rows) !== this.#inodes[0] || inodeOf(blobs) !== this.#inodes[1]) {
            throw new DatabaseError('unavailable', 'the files of the database were removed or replaced');
        }
    }

    async condition(): Promise<DatabaseCondition | null> {

        this.#checkFiles();
        if (this.#reader.isDamaged || this.#blobReader.isDamaged) {
            return 'damaged';
        }

        return this.#disk.minFree > 0 && freeBytes(this.#disk) < this.#disk.minFree + AMPLE_BYTES && await this.#isShort() ? 'full' : null;
    }

    hasSpaceFor(bytes = this.#disk.minFree): boolean {

        const unused = this.#reader.unusedBytes + this.#blobReader.unusedBytes;
        return this.#disk.minFree === 0 || bytes <= freeBytes(this.#disk) + unused - this.#disk.minFree;
    }

    usage(): DatabaseUsage {

        const free = freeBytes(this.#disk);
        return {
            writers: [{ writer: 'rows', ...this.#writer.usage }, { writer: 'blobs', ...this.#blobWriter.usage }],
            pool: null,
            disk: Number.isFinite(free) ? { free, reserved: this.#disk.minFree } : null
        };
    }

    /** Includes the write-ahead logs. */
    async size(): Promise<number> {

        const paths = [this.#files.rows, this.#files.blobs].flatMap(({ path }) => [path, `${path}-wal`]);
        return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
    }

    async close(): Promise<void> {

        clearInterval(this.#diskTimer);
        this.#checkFiles();
        await Promise.all([this.#writer.close(), this.#blobWriter.close()]);
        this.#reader.close();
        this.#blobReader.close();
        keepReserve(this.#disk, 0);         // The next start on a full disk needs the space that the logs have just freed
    }

    /** Returns whether a failed write should be repeated: it lacked space, and what is no longer needed was removed meanwhile. */
    async #hasMadeSpace(error: unknown): Promise<boolean> {

        if (!this.#makeSpace || !(error instanceof DatabaseError) || error.fault !== 'full') {
            return false;
        }

        try {
            await this.#makeSpace();
            return true;
        }
        catch {
            return false;               // The write fails with its own error
        }
    }

    /** An empty unit is rejected when a small one would be. */
    async #isShort(): Promise<boolean> {

        const full = this.#writer.commit({ steps: [] }, { durable: false })
            .then(() => false, (error: unknown) => error instanceof DatabaseError && error.fault === 'full');
        return await Promise.race([full, sleep(WRITER_MS, false, { ref: false })]);
    }

    /** Maintains the reserve file while there is space; otherwise frees what the database files do not need. */
    #checkDisk(): void {

        if (freeBytes(this.#disk) >= this.#disk.minFree) {
            keepReserve(this.#disk);
            return;
        }

        for (const writer of [this.#writer, this.#blobWriter]) {
            writer.commit({ steps: [], essential: true }, { durable: false }).catch(() => {
                // The writer is closed, or lacks the space even for this.
            });
        }
    }

    /** Reports a file that was cut, before its log is written back, and leaves a marker for the next start. */
    #checkFiles(): void {

        const { rows, blobs } = this.#files;
        for (const [reader, file, inode] of [[this.#reader, rows, this.#inodes[0]], [this.#blobReader, blobs, this.#inodes[1]]] as const) {
            if (!reader.isCut) {
                continue;
            }

            if (!this.#cut.has(reader)) {
                this.#cut.add(reader);
                this.#log.error({ event: 'database.file-cut', file: file.path }, 'the end of a database file is missing');
            }

            try {
                if (inodeOf(file) === inode) {          // Not beside one that has taken its place
                    markAsCut(file);
                }
            }
            catch {
                // The folder cannot be written now: repeated by the next check.
            }
        }
    }
}

/** With this number of bytes above the reserved ones the disk is not full, without asking the writer. */
const AMPLE_BYTES = 64 * 1024 * 1024;

/**
 * @throws LostFileError when one of the files is missing
 * @throws UnusableDatabaseError when one was cut
 */
function openReaders(files: SqliteFiles): [rows: SqliteReader, blobs: SqliteReader] {

    if (isEmpty(files.rows) || isEmpty(files.blobs)) {
        rejectLoss(files);          // Before a new file is created in place of the lost one
    }

    rejectCut(files.rows);
    rejectCut(files.blobs);
    const opened: SqliteReader[] = [];
    try {
        const rows = new SqliteReader(files.rows);
        opened.push(rows);
        const blobs = new SqliteReader(files.blobs);
        opened.push(blobs);
        rejectLoss(files, (file, sql) => (file === files.rows ? rows : blobs).all(sql, []).length > 0);
        return [rows, blobs];
    }
    catch (error) {
        opened.forEach((reader) => reader.close());
        throw error;
    }
}

/** Chunks in a file of their own. Writing a chunk does not wait for the disk; {@link seal} does, once for all of them. */
class SqliteBlobs implements BlobDatabase {

    readonly readsAtOnce = true;
    readonly #reader: SqliteReader;
    readonly #writer: SqliteWriter;
    readonly #hasMadeSpace: (error: unknown) => Promise<boolean>;

    /**
     * @param hasMadeSpace returns whether a write with this error should be repeated
     */
    constructor(reader: SqliteReader, writer: SqliteWriter, hasMadeSpace: (error: unknown) => Promise<boolean>) {

        this.#reader = reader;
        this.#writer = writer;
        this.#hasMadeSpace = hasMadeSpace;
    }

    async writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array> {

        let copy = ownBuffer(bytes);
        const { byteLength } = copy;
        const onReturn = (buffer: ArrayBuffer): void => {

            copy = new Uint8Array(buffer);
        };

        try {
            await this.#insertChunk(blobId, index, copy, onReturn);
        }
        catch (error) {
            // Without its bytes, as after a crash of the writer, it cannot be repeated.
            if (copy.byteLength !== byteLength || !await this.#hasMadeSpace(error)) {
                throw error;
            }

            await this.#insertChunk(blobId, index, copy, onReturn);
        }

        return copy.byteLength === byteLength ? copy : new Uint8Array(byteLength);
    }

    /** The buffer is transferred to the writer, and passed to `onReturn` afterwards. */
    async #insertChunk(blobId: number, index: number, bytes: Uint8Array<ArrayBuffer>, onReturn: (buffer: ArrayBuffer) => void): Promise<void> {

        // Chunks of a copy that was broken off are written again.
        const sql = 'insert or replace into blob_chunks (blob_id, n, bytes) values (?, ?, ?)';
        await this.#writer.commit({ steps: [{ sql, bindings: [blobId, index, bytes] }] }, { durable: false, transfer: bytes.buffer, onReturn });
    }

    async seal(blobId: number): Promise<void> {

        // A commit syncs the log only when it writes to it, hence a row that changes.
        const sql = 'insert into blob_seals (id, blob_id) values (1, ?) on conflict (id) do update ' +
            'set blob_id = excluded.blob_id, seals = seals + 1';
        await this.#writer.commit({ steps: [{ sql, bindings: [blobId] }], essential: true });
    }

    async readChunk(blobId: number, index: number): Promise<Buffer | null> {

        return readChunk(this.#reader, blobId, index);
    }

    async readPart(blobId: number, index: number, part: ChunkPart): Promise<{ size: number; bytes: Buffer } | null> {

        return readPart(this.#reader, blobId, index, part);
    }

    async measureChunks(blobId: number, from: number, to: number): Promise<ChunkTotals> {

        return measureChunks(this.#reader, blobId, from, to);
    }

    async deleteChunks(blobId: number, limit: number): Promise<number> {

        const sql = 'delete from blob_chunks where blob_id = ? and n in ' +
            '(select n from blob_chunks where blob_id = ? order by n desc limit ?)';
        const unit = { steps: [{ sql, bindings: [blobId, blobId, limit] }], essential: true };
        const result = await this.#writer.commit(unit, { durable: false, reclaim: true });
        return result.ok ? result.steps[0]?.rows ?? 0 : 0;
    }

    async listBlobs(after: number, limit: number): Promise<number[]> {

        return this.#reader.all(LIST_BLOBS, [after, limit]).map((row) => (row as { id: number }).id);
    }
}

/** Returns bytes that own their buffer, so that it can be transferred; a copy when they are part of a larger one. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {

    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) {
        return new Uint8Array(buffer);
    }

    return new Uint8Array(bytes);
}
