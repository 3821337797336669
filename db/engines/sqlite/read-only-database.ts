/**
 * The embedded database in a process that only reads it, beside the one that owns the data folder and writes. Each read sees every change
 * that was written before it, by any process.
 */

import { statSync } from 'node:fs';
import type { BlobDatabase, ChunkPart, ChunkTotals, CommitResult, Database, DatabaseUsage, Row, SqlValue, Statement } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { LIST_BLOBS } from '../../statements.js';
import { rejectWrite } from '../../read-only.js';
import type { SqliteFiles } from './file.js';
import { inodeOf, measureChunks, readChunk, readPart } from './shared-reads.js';
import { SqliteReader } from './reader.js';

/** Changes with each commit of another connection; never while nothing was written. */
const VERSION = 'pragma data_version';

/** Opens files that exist and have all tables. */
export function openSqliteReadOnly(files: SqliteFiles): Database {

    const rows = new SqliteReader(files.rows);
    try {
        return new SqliteReadOnlyDatabase(files, rows, new SqliteReader(files.blobs));
    }
    catch (error) {
        rows.close();
        throw error;
    }
}

class SqliteReadOnlyDatabase implements Database {

    readonly dialect = 'sqlite';
    readonly blobs: BlobDatabase;
    readonly #files: SqliteFiles;
    readonly #rows: SqliteReader;
    readonly #blobs: SqliteReader;
    /** Inodes of the files when they were opened. */
    readonly #inodes: readonly [number | null, number | null];

    constructor(files: SqliteFiles, rows: SqliteReader, blobs: SqliteReader) {

        this.#files = files;
        this.#rows = rows;
        this.#blobs = blobs;
        this.#inodes = [inodeOf(files.rows), inodeOf(files.blobs)];
        this.blobs = new ReadOnlyBlobs(blobs);
    }

    get revision(): number {

        return (this.#rows.all(VERSION, [])[0] as { data_version: number }).data_version;
    }

    async read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#rows.all(statement.sql, bindings) as R[];
    }

    commit(): Promise<CommitResult> {

        return rejectWrite();
    }

    migrate(): Promise<void> {

        return Promise.resolve();
    }

    now(): number {

        return Date.now();
    }

    async ping(): Promise<void> {

        this.#rows.all('select 1', []);
        this.#blobs.all('select 1', []);
        if (inodeOf(this.#files.rows) !== this.#inodes[0] || inodeOf(this.#files.blobs) !== this.#inodes[1]) {
            throw new DatabaseError('unavailable', 'the files of the database were removed or replaced');
        }
    }

    usage(): DatabaseUsage {

        return { writers: [], pool: null, disk: null };
    }

    async size(): Promise<number> {

        return [this.#files.rows, this.#files.blobs].reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
    }

    async close(): Promise<void> {

        this.#rows.close();
        this.#blobs.close();
    }
}

class ReadOnlyBlobs implements BlobDatabase {

    readonly readsAtOnce = true;
    readonly #reader: SqliteReader;

    constructor(reader: SqliteReader) {

        this.#reader = reader;
    }

    writeChunk(): Promise<Uint8Array> {

        return rejectWrite();
    }

    seal(): Promise<void> {

        return rejectWrite();
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

    deleteChunks(): Promise<number> {

        return rejectWrite();
    }

    async listBlobs(after: number, limit: number): Promise<number[]> {

        return this.#reader.all(LIST_BLOBS, [after, limit]).map((row) => (row as { id: number }).id);
    }
}
