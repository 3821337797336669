/**
 * Reads what a copy of an embedded database contains, and checks it. Copies are not modified, and no files are created beside them.
 */

import Sqlite from 'better-sqlite3';
import { MIGRATION_TABLE } from '../../migrator/migrate.js';
import { sqliteFiles } from './file.js';

/** What a copy contains. */
export interface CopyContents {
    /** Names of the migrations, in their order; empty when the database was never started. */
    readonly migrations: readonly string[];
    readonly objects: number;
    readonly versions: number;
    readonly elements: number;
    /** Sum of the lengths of the elements. */
    readonly elementBytes: number;
    /** Elements whose bytes are in another element store. */
    readonly elementsElsewhere: number;
    readonly highestTxnId: number;
    /** JSON of the design object; null without one. */
    readonly design: string | null;
}

/** Bytes of an element of an object; objects may share them. */
export interface CopiedElement {
    readonly objectId: string;
    readonly element: string;
    readonly blobId: number;
}

/** Elements whose chunks do not add up to their size, have gaps, or would be taken for unused by the service. */
const INCOMPLETE = 'select p.object_id, p.name, p.blob_id from payloads p left join blobs b on b.id = p.blob_id and b.links > 0 ' +
    'left join blob_file.blob_chunks c on c.blob_id = p.blob_id where coalesce(b.store, p.store) = ? group by p.object_id, p.name ' +
    'having coalesce(sum(length(c.bytes)), 0) <> p.size or count(c.n) > 0 and max(c.n) <> count(c.n) - 1 or max(b.id) is null';

/** A copy, opened for reading; creates no files. */
export class SnapshotCopy {

    readonly #rows: Sqlite.Database;
    readonly #blobs: Sqlite.Database;
    readonly #store: string;

    /** @param store name of the element store in the database */
    constructor(folder: string, store: string) {

        const { rows, blobs } = sqliteFiles(folder);
        this.#store = store;
        this.#rows = new Sqlite(rows.path, { readonly: true });
        this.#blobs = new Sqlite(blobs.path, { readonly: true });
        this.#rows.prepare('attach database ? as blob_file').run(blobs.path);
    }

    close(): void {

        this.#rows.close();
        this.#blobs.close();
    }

    contents(): CopyContents {

        if (!this.#rows.prepare('select 1 from sqlite_schema where name = ?').get(MIGRATION_TABLE)) {
            return { migrations: [], objects: 0, versions: 0, elements: 0, elementBytes: 0, elementsElsewhere: 0, highestTxnId: 0, design: null };
        }

        const migrations = this.#rows.prepare(`select name from ${MIGRATION_TABLE} order by id`).pluck().all() as string[];
        const objects = this.#rows.prepare<[], Pick<CopyContents, 'objects' | 'versions' | 'highestTxnId'>>(
            'select count(*) as objects, coalesce(sum(is_version), 0) as versions, coalesce(max(txn_id), 0) as highestTxnId from objects').get();
        const elements = this.#rows.prepare<[string], Pick<CopyContents, 'elements' | 'elementBytes' | 'elementsElsewhere'>>(
            'select count(*) as elements, coalesce(sum(p.size), 0) as elementBytes, coalesce(sum(coalesce(b.store, p.store) <> ?), 0) as elementsElsewhere ' +
            'from payloads p left join blobs b on b.id = p.blob_id')
            .get(this.#store);
        const design = this.#rows.prepare<[], string>('select content from objects where id = \'design\'').pluck().get() ?? null;
        if (!objects || !elements) {
            throw new Error('an aggregate has one row');
        }

        return { migrations, design, ...objects, ...elements };
    }

    /** Returns what SQLite finds wrong with the structure of the files; empty when all is well. */
    *damage(): Generator<string> {

        for (const db of [this.#rows, this.#blobs]) {
            for (const found of db.pragma('main.integrity_check(10)') as { integrity_check: string }[]) {
                if (found.integrity_check !== 'ok') {
                    yield found.integrity_check;
                }
            }
        }
    }

    /** Yields elements without all of their bytes; reads no bytes. */
    *incomplete(): Generator<CopiedElement> {

        for (const row of this.#rows.prepare<[string], ElementRow>(INCOMPLETE).iterate(this.#store)) {
            yield elementOf(row);
        }
    }

    /** Yields elements with a hash from when they were stored (lower-case hex SHA-256), each blob once. */
    *hashed(): Generator<CopiedElement & { readonly hash: string }> {

        const sql = 'select min(p.object_id) as object_id, p.name, p.blob_id, p.hash from payloads p left join blobs b on b.id = p.blob_id ' +
            'where coalesce(b.store, p.store) = ? and p.hash is not null group by p.blob_id, p.hash';
        for (const row of this.#rows.prepare<[string], ElementRow & { hash: string }>(sql).iterate(this.#store)) {
            yield { ...elementOf(row), hash: row.hash };
        }
    }

    /** Yields the bytes of a blob in chunks. */
    chunksOf(blobId: number): Iterable<Uint8Array> {

        return this.#blobs.prepare<[number], Buffer>('select bytes from blob_chunks where blob_id = ? order by n').pluck().iterate(blobId);
    }
}

interface ElementRow {
    readonly object_id: string;
    readonly name: string;
    readonly blob_id: number;
}

function elementOf({ object_id: objectId, name, blob_id: blobId }: ElementRow): CopiedElement {

    return { objectId, element: name, blobId };
}
