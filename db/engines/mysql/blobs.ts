/** Bytes of elements beside the rows, in the same database. Every chunk is durable by itself. */

import type { BlobDatabase, ChunkPart, ChunkTotals, Database, SqlValue } from '../../database.js';
import { LIST_BLOBS, MEASURE_CHUNKS, READ_PART } from '../../statements.js';
import type { Engine } from './server.js';

/** Without the recursion of {@link LIST_BLOBS}, which TiDB does not allow: it reads the key of every chunk. */
const LIST_EACH = 'select distinct blob_id as id from blob_chunks where blob_id > ? order by blob_id limit ?';

const GUARD_MOVED = ' and exists (select 1 from blobs where blobs.id = ? and blobs.store = ?)';

/** How statements are run, with retries. */
interface Statements extends Pick<Database, 'read'> {
    readBytes<R>(sql: string, bindings: readonly SqlValue[]): Promise<R[]>;
    /** Resolves to the number of rows. */
    write(sql: string, bindings: readonly SqlValue[]): Promise<number>;
}

/** Chunks in a table. */
export class MysqlBlobs implements BlobDatabase {

    readonly readsAtOnce = false;
    readonly #database: Statements;
    readonly #list: string;

    constructor(database: Statements, engine: Engine) {

        this.#database = database;
        this.#list = engine === 'tidb' ? LIST_EACH : LIST_BLOBS;
    }

    async writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array> {

        // A retry after a lost connection finds its own row.
        const sql = 'insert into blob_chunks (blob_id, n, bytes) values (?, ?, ?) on duplicate key update bytes = values(bytes)';
        await this.#database.write(sql, [blobId, index, bytes]);
        return bytes;
    }

    async seal(): Promise<void> {

        // Every chunk is durable already.
    }

    async readChunk(blobId: number, index: number): Promise<Buffer | null> {

        const sql = 'select bytes from blob_chunks where blob_id = ? and n = ?';
        const rows = await this.#database.read<{ bytes: Buffer }>({ sql }, [blobId, index]);
        return rows[0]?.bytes ?? null;
    }

    async readPart(blobId: number, index: number, { start, length }: ChunkPart): Promise<{ size: number; bytes: Buffer } | null> {

        const rows = await this.#database.readBytes<{ size: number; bytes: Buffer }>(READ_PART, [start + 1, length, blobId, index]);
        return rows[0] ?? null;
    }

    async measureChunks(blobId: number, from: number, to: number): Promise<ChunkTotals> {

        const [found] = await this.#database.read<Partial<ChunkTotals>>({ sql: MEASURE_CHUNKS }, [blobId, from, to]);
        return { chunks: Number(found?.chunks), bytes: Number(found?.bytes) };        // A sum is a decimal
    }

    async deleteChunks(blobId: number, limit: number, movedTo?: string): Promise<number> {

        const [guard, bindings] = movedTo === undefined ? ['', []] : [GUARD_MOVED, [blobId, movedTo]];
        return await this.#database.write(`delete from blob_chunks where blob_id = ?${guard} order by n desc limit ?`, [blobId, ...bindings, limit]);
    }

    async listBlobs(after: number, limit: number): Promise<number[]> {

        const rows = await this.#database.read<{ id: number }>({ sql: this.#list }, [after, limit]);
        return rows.map(({ id }) => id);
    }
}
