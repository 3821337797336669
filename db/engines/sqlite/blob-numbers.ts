/**
 * Keeps numbers of blobs from being given twice. The file with the bytes may be newer than the one with the rows, as when that alone was restored
 * from a backup: it has bytes under numbers that the rows do not know of.
 */

import type { Log } from '../../log.js';
import type { SqliteReader } from './reader.js';
import type { SqliteWriter } from './writer.js';

/** Number of the last blob that has a row, or had one. */
const GIVEN = 'select coalesce(max(seq), 0) as id from sqlite_sequence where name = \'blobs\'';

/** Largest number of a blob that has bytes: one look-up in the index. */
const STORED = 'select coalesce(max(blob_id), 0) as id from blob_chunks';

/** The table has no unique key, and no row before the first blob. */
const SKIP = [
    'insert into sqlite_sequence (name, seq) select \'blobs\', 0 where not exists (select 1 from sqlite_sequence where name = \'blobs\')',
    'update sqlite_sequence set seq = max(seq, ?) where name = \'blobs\''
] as const;

/** Makes numbers of new blobs larger than those of all stored bytes. Writes only where they are not. */
export async function skipStoredBlobs(
    { rows, blobs, writer, log }: { rows: SqliteReader; blobs: SqliteReader; writer: SqliteWriter; log: Log }
): Promise<void> {

    const [given, stored] = [numberOf(rows, GIVEN), lastStored(blobs)];
    if (stored > given) {
        await writer.commit({ steps: [{ sql: SKIP[0], bindings: [] }, { sql: SKIP[1], bindings: [stored] }], essential: true });
        log.info({ event: 'database.numbers-skipped', from: given + 1, to: stored }, 'numbers skipped under which bytes of unknown payloads are stored');
    }
}

/** 0 for a file that is damaged there: it has no reliable numbers, and its damage is reported by who reads it. */
function lastStored(blobs: SqliteReader): number {

    try {
        return numberOf(blobs, STORED);
    }
    catch {
        return 0;
    }
}

function numberOf(reader: SqliteReader, sql: string): number {

    return (reader.all(sql, [])[0] as { id: number }).id;
}
