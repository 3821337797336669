/**
 * A program for tests that kill a process while it writes:
 *
 *     node sqlite-program.js <data folder> units|blobs
 *
 * Prints a line for everything that the database has promised to keep: the number of a unit, or id and size of a blob.
 */

import { openDatabase } from '../../db/engines/open.js';
import type { Database } from '../../db/database.js';
import { SILENT } from '../../db/log.js';
import { BlobStore } from '../../lib/stores/blobs/blob-store.js';
import { DatabaseElementStore } from '../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../lib/stores/blobs/element-store.js';
import { body } from './bytes.js';

/** Every unit writes two rows, so that a torn one would show. */
async function writeUnits(database: Database): Promise<void> {

    let next = 0;
    const sql = 'insert into settings (name, value) values (?, ?)';
    const write = async (): Promise<void> => {

        for (;;) {
            next += 1;
            const n = next;
            const result = await database.commit({ steps: [
                { sql, bindings: [`a-${n}`, String(n)] }, { sql, bindings: [`b-${n}`, String(n)] }
            ] });
            if (result.ok) {
                process.stdout.write(`${n}\n`);
            }
        }
    };

    await Promise.all(Array.from({ length: 16 }, write));
}

async function writeBlobs(database: Database): Promise<void> {

    const stores = new ElementStores(new DatabaseElementStore(database.blobs));
    const blobs = new BlobStore(database, stores, { log: SILENT });
    let size = 100_000;
    const write = async (): Promise<void> => {

        for (;;) {
            size += 77_777;
            const blob = await blobs.stage(body(size), { maxBytes: size });
            await database.commit({ steps: blobs.linkSteps(blob) });
            process.stdout.write(`${blob.blobId} ${blob.size}\n`);
        }
    };

    await Promise.all(Array.from({ length: 3 }, write));
}

async function main(): Promise<void> {

    const [, , dataDir = '', what] = process.argv;
    const database = await openDatabase({ dataDir });
    await (what === 'blobs' ? writeBlobs(database) : writeUnits(database));
}

// Lab loads every file below test; this one acts only as a program.
if (require.main === module) {
    main().catch((error: unknown) => {

        console.error(error);
        process.exitCode = 1;
    });
}
