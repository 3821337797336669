/**
 * A server in a process that only reads, beside the one of the same service that writes. It is read as by any other node: each read sees what
 * was committed before it.
 */

import type { BlobDatabase, CommitResult, Database } from '../../database.js';
import type { Log } from '../../log.js';
import { rejectWrite } from '../../read-only.js';
import { openMysqlDatabase } from './database.js';
import type { MysqlAddress } from './url.js';

/** Opens a pool; rejects when the server cannot be reached or does not meet the requirements. */
export async function openMysqlReadOnly(address: MysqlAddress, log: Log): Promise<Database> {

    const database = await openMysqlDatabase(address, log);
    // The process that writes has done it. From here on, checks notice a newer version that changes the tables.
    await database.migrate();
    const { blobs } = database;
    return {
        dialect: database.dialect,
        revision: database.revision,
        read: (statement, bindings) => database.read(statement, bindings),
        commit: (): Promise<CommitResult> => rejectWrite(),
        blobs: withoutWrites(blobs),
        migrate: () => Promise.resolve(),
        now: () => database.now(),
        ping: (timeoutMs) => database.ping(timeoutMs),
        usage: () => database.usage(),
        size: () => database.size(),
        close: () => database.close()
    };
}

function withoutWrites(blobs: BlobDatabase): BlobDatabase {

    return {
        readsAtOnce: blobs.readsAtOnce,
        writeChunk: () => rejectWrite(),
        seal: () => rejectWrite(),
        readChunk: (blobId, index) => blobs.readChunk(blobId, index),
        readPart: (blobId, index, part) => blobs.readPart(blobId, index, part),
        measureChunks: (blobId, from, to) => blobs.measureChunks(blobId, from, to),
        deleteChunks: () => rejectWrite(),
        listBlobs: (after, limit) => blobs.listBlobs(after, limit)
    };
}
