/**
 * The embedded database: two files in one folder, `repository.sqlite` with the rows and `blobs.sqlite` with the bytes.
 * Reads are synchronous on the main thread, each file is written by a thread of its own.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LIST_BLOBS } from './blob-sql.js';
import type { BlobDatabase, CommitResult, Database, Row, SqlValue, Statement, Unit } from './database.js';
import { DatabaseError } from './errors.js';
import { isEmpty, refuseLoss } from './lost-file.js';
import { migrateSqlite } from './migrate.js';
import type { Log } from './log.js';
import { StatementCache, openSqliteReader } from './sqlite-file.js';
import type { SqliteFile } from './sqlite-file.js';
import { SqliteWriter } from './sqlite-writer.js';

/** The files of a data folder. */
export interface SqliteFiles {
    readonly rows: SqliteFile;
    readonly blobs: SqliteFile;
}

/** Which files a data folder has. Bytes come in chunks of 256 KiB: larger pages, and no point in caching them. */
export function sqliteFiles(dataDir: string): SqliteFiles {

    return {
        rows: { path: join(dataDir, 'repository.sqlite'), pageSize: 4096, cacheKiB: 16 * 1024 },
        blobs: { path: join(dataDir, 'blobs.sqlite'), pageSize: 16384, cacheKiB: 1024 }
    };
}

/** Opens the database of a data folder that exists. */
export function openSqliteDatabase(dataDir: string, log: Log): Database {

    return new SqliteDatabase(sqliteFiles(dataDir), log);
}

/** Reads from one file. */
class SqliteReader {

    readonly #db: ReturnType<typeof openSqliteReader>;
    readonly #statements: StatementCache;

    constructor(file: SqliteFile) {

        this.#db = openSqliteReader(file);
        this.#statements = new StatementCache(this.#db);
    }

    all(sql: string, bindings: readonly SqlValue[]): unknown[] {

        if (!this.#db.open) {
            throw new DatabaseError('unavailable', 'the database is closed');
        }

        try {
            return this.#statements.get(sql).all(bindings);
        }
        catch (error) {
            throw new DatabaseError('failed', 'the database could not read', error);
        }
    }

    close(): void {

        this.#db.close();
    }
}

class SqliteDatabase implements Database {

    readonly dialect = 'sqlite';
    readonly blobs: BlobDatabase;
    readonly #files: SqliteFiles;
    readonly #log: Log;
    #revision = 0;
    readonly #reader: SqliteReader;
    readonly #blobReader: SqliteReader;
    /** Which files were opened. */
    readonly #inodes: readonly [number | null, number | null];
    readonly #writer: SqliteWriter;
    readonly #blobWriter: SqliteWriter;

    constructor(files: SqliteFiles, log: Log) {

        this.#files = files;
        this.#log = log;
        [this.#reader, this.#blobReader] = openReaders(files);
        this.#inodes = [inodeOf(files.rows), inodeOf(files.blobs)];
        this.#writer = new SqliteWriter({ file: files.rows }, log);
        this.#blobWriter = new SqliteWriter({ file: files.blobs }, log);
        this.blobs = new SqliteBlobs(this.#blobReader, this.#blobWriter);
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
        finally {
            // Also when it failed: a writer that died may have committed before.
            this.#revision += 1;
        }
    }

    async migrate(): Promise<void> {

        await migrateSqlite(this.#files, this.#log);
    }

    async ping(): Promise<void> {

        this.#reader.all('select 1', []);
        this.#blobReader.all('select 1', []);
        // Open files can be read and written after they were removed or replaced, but nobody would ever find what is written.
        const { rows, blobs } = this.#files;
        if (inodeOf(rows) !== this.#inodes[0] || inodeOf(blobs) !== this.#inodes[1]) {
            throw new DatabaseError('unavailable', 'the files of the database were removed or replaced');
        }
    }

    async close(): Promise<void> {

        await Promise.all([this.#writer.close(), this.#blobWriter.close()]);
        this.#reader.close();
        this.#blobReader.close();
    }
}

/** @throws LostFileError when one of the files is gone */
function openReaders(files: SqliteFiles): [rows: SqliteReader, blobs: SqliteReader] {

    if (isEmpty(files.rows) || isEmpty(files.blobs)) {
        refuseLoss(files);          // Before a file is made in the place of the lost one
    }

    const opened: SqliteReader[] = [];
    try {
        const rows = new SqliteReader(files.rows);
        opened.push(rows);
        const blobs = new SqliteReader(files.blobs);
        opened.push(blobs);
        refuseLoss(files, (file, sql) => (file === files.rows ? rows : blobs).all(sql, []).length > 0);
        return [rows, blobs];
    }
    catch (error) {
        opened.forEach((reader) => reader.close());
        throw error;
    }
}

/** Tells a file from any other in its place; null when it is not there. */
function inodeOf({ path }: SqliteFile): number | null {

    return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

/** Chunks in a file of their own. Adding a chunk does not wait for the disk; {@link seal} does, once for all of them. */
class SqliteBlobs implements BlobDatabase {

    readonly #reader: SqliteReader;
    readonly #writer: SqliteWriter;

    constructor(reader: SqliteReader, writer: SqliteWriter) {

        this.#reader = reader;
        this.#writer = writer;
    }

    async writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array> {

        const whole = ownBuffer(bytes);
        const sql = 'insert into blob_chunks (blob_id, n, bytes) values (?, ?, ?)';
        const unit = { steps: [{ sql, bindings: [blobId, index, whole] }] };
        let returned: ArrayBuffer | undefined;
        await this.#writer.commit(unit, {
            durable: false,
            lend: whole.buffer,
            giveBack(buffer) {

                returned = buffer;
            }
        });
        return new Uint8Array(returned ?? new ArrayBuffer(whole.byteLength));
    }

    async seal(blobId: number): Promise<void> {

        // A commit syncs the log only when it writes to it, hence a row that changes.
        const sql = 'insert into blob_seals (id, blob_id) values (1, ?) on conflict (id) do update ' +
            'set blob_id = excluded.blob_id, seals = seals + 1';
        await this.#writer.commit({ steps: [{ sql, bindings: [blobId] }] });
    }

    async readChunk(blobId: number, index: number): Promise<Buffer | null> {

        const rows = this.#reader.all('select bytes from blob_chunks where blob_id = ? and n = ?', [blobId, index]);
        return (rows[0] as { bytes: Buffer } | undefined)?.bytes ?? null;
    }

    async deleteChunks(blobId: number, limit: number): Promise<number> {

        const sql = 'delete from blob_chunks where blob_id = ? and n in ' +
            '(select n from blob_chunks where blob_id = ? order by n desc limit ?)';
        const unit = { steps: [{ sql, bindings: [blobId, blobId, limit] }] };
        const result = await this.#writer.commit(unit, { durable: false, reclaim: true });
        return result.ok ? result.steps[0]?.rows ?? 0 : 0;
    }

    async listBlobs(after: number, limit: number): Promise<number[]> {

        return this.#reader.all(LIST_BLOBS, [after, limit]).map((row) => (row as { id: number }).id);
    }
}

/** Bytes with a buffer of their own that can change hands; a copy when they are a part of a larger one. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {

    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) {
        return new Uint8Array(buffer);
    }

    return new Uint8Array(bytes);
}
