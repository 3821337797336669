/** Reads that every process with the files of an embedded database has in common. */

import { statSync } from 'node:fs';
import type { ChunkPart, ChunkTotals } from '../../database.js';
import { MEASURE_CHUNKS, READ_PART } from '../../statements.js';
import type { SqliteFile } from './file.js';
import type { SqliteReader } from './reader.js';

/** Identifies a file; null when it does not exist. */
export function inodeOf({ path }: SqliteFile): number | null {

    return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

/** Returns the bytes of a chunk; null if there is none. */
export function readChunk(reader: SqliteReader, blobId: number, index: number): Buffer | null {

    const rows = reader.all('select bytes from blob_chunks where blob_id = ? and n = ?', [blobId, index]);
    return (rows[0] as { bytes: Buffer } | undefined)?.bytes ?? null;
}

/** Returns some bytes of a chunk with its size; null if there is none. */
export function readPart(reader: SqliteReader, blobId: number, index: number, { start, length }: ChunkPart): { size: number; bytes: Buffer } | null {

    const rows = reader.all(READ_PART, [start + 1, length, blobId, index]);
    return (rows[0] as { size: number; bytes: Buffer } | undefined) ?? null;
}

/** Counts the chunks of a blob from one number to another (exclusive), and their bytes. */
export function measureChunks(reader: SqliteReader, blobId: number, from: number, to: number): ChunkTotals {

    return reader.all(MEASURE_CHUNKS, [blobId, from, to])[0] as ChunkTotals;
}
