/**
 * A program that measures how much a process grows while a large blob goes in and out; prints MiB.
 *
 *     node memory-program.js <database options as JSON> <MiB of the blob>
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDatabase } from '../../db/engines/open.js';
import type { DatabaseOptions } from '../../db/engines/open.js';
import { SILENT } from '../../db/log.js';
import { BlobStore } from '../../lib/stores/blobs/blob-store.js';
import { DatabaseElementStore } from '../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../lib/stores/blobs/element-store.js';

const MIB = 1024 * 1024;
const PIECE = 64 * 1024;

/** Pieces as a socket gives them: each in memory of its own, a few per turn of the event loop. */
async function *upload(bytes: number): AsyncGenerator<Uint8Array> {

    for (let i = 0; i < bytes / PIECE; ++i) {
        yield Buffer.alloc(PIECE, i);
        if (i % 8 === 0) {
            await nextTurn();
        }
    }
}

async function main(): Promise<void> {

    const [, , options = '{}', size = '0'] = process.argv;
    const database = await openDatabase(JSON.parse(options) as DatabaseOptions);
    const blobs = new BlobStore(database, new ElementStores(new DatabaseElementStore(database.blobs)), { log: SILENT });

    /** In and out again; resolves to the largest size of the process meanwhile. */
    const roundTrip = async (bytes: number): Promise<number> => {

        let largest = 0;
        const watch = setInterval(() => {

            largest = Math.max(largest, process.memoryUsage.rss());
        }, 5);
        // With a signal, as every request has one.
        const { signal } = new AbortController();
        const blob = await blobs.stage(upload(bytes), { maxBytes: bytes, hash: true, signal });
        let read = 0;
        for await (const piece of blobs.open(blob)) {
            read += piece.byteLength;
        }

        clearInterval(watch);
        if (read !== bytes) {
            throw new Error(`${bytes} bytes went in, ${read} came out`);
        }

        return Math.max(largest, process.memoryUsage.rss());
    };

    await roundTrip(2 * MIB);
    const before = process.memoryUsage.rss();
    const largest = await roundTrip(Number(size) * MIB);
    process.stdout.write(`${Math.round((largest - before) / MIB)}\n`);
    blobs.close();
    await database.close();
}

// Lab loads every file below test; this one acts only as a program.
if (require.main === module) {
    void main();
}
