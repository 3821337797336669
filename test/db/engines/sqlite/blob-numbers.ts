/** Numbers of new blobs are larger than those of all stored bytes, whichever file of an embedded database is the newer one. */

import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { openDatabase } from '../../../../db/engines/open.js';
import { type Log, SILENT } from '../../../../db/log.js';
import { createSqlite, type TestDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const INSERT = 'insert into blobs (store, state, created_on, touched_on) values (\'database\', \'staged\', 1, 1)';

describe('the numbers of new blobs', () => {

    let place: TestDatabase;

    beforeEach(async () => {

        place = await createSqlite();
        await (await place.open()).close();
    });

    afterEach(() => place.dispose());

    /** Changes a file while the database is closed. */
    function change(file: 'repository' | 'blobs', sql: string): void {

        const db = new Sqlite(join(place.options.dataDir, `${file}.sqlite`));
        db.exec(sql);
        db.close();
    }

    /** Starts the database; returns what it logs of numbers, and that of the next blob. */
    async function start(): Promise<{ skipped: unknown[]; next: number | undefined }> {

        const skipped: unknown[] = [];
        const log: Log = {
            ...SILENT, info: ({ event, ...fields }: { event?: string }) => void (event === 'database.numbers-skipped' && skipped.push(fields))
        };
        const database = await openDatabase({ ...place.options, log });
        try {
            await database.migrate();
            const result = await database.commit({ steps: [{ sql: INSERT, bindings: [] }] });
            return { skipped, next: result.ok ? result.steps[0]?.insertId : undefined };
        }
        finally {
            await database.close();
        }
    }

    const cases: [string, { rows: string; stored: number[]; expected: Awaited<ReturnType<typeof start>> }][] = [
        ['begin at 1 without any', { rows: '', stored: [], expected: { skipped: [], next: 1 } }],
        ['follow the rows, where bytes are missing', { rows: `${INSERT}; ${INSERT}`, stored: [1], expected: { skipped: [], next: 3 } }],
        ['follow rows that were deleted', { rows: `${INSERT}; ${INSERT}; delete from blobs`, stored: [], expected: { skipped: [], next: 3 } }],
        ['follow the bytes, where rows are missing', { rows: INSERT, stored: [1, 2, 7], expected: { skipped: [{ from: 2, to: 7 }], next: 8 } }],
        ['follow the bytes, where no row was ever stored', { rows: '', stored: [5], expected: { skipped: [{ from: 1, to: 5 }], next: 6 } }]
    ];
    for (const [title, { rows, stored, expected }] of cases) {

        it(title, async () => {

            change('repository', rows);
            stored.forEach((id) => change('blobs', `insert into blob_chunks (blob_id, n, bytes) values (${id}, 0, x'00'), (${id}, 1, x'00')`));

            expect(await start()).to.equal(expected);
            expect(await start()).to.equal({ skipped: [], next: Number(expected.next) + 1 });
        });
    }
});
