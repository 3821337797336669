/** Acceptance of the loss of the file with the bytes of payloads, also when it was interrupted. */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { acceptLostFile, openDatabase } from '../../../../db/engines/open.js';
import { createSqlite, type TestDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('the acceptance of a lost file', () => {

    let place: TestDatabase;
    let file: string;

    beforeEach(async () => {

        place = await createSqlite();
        await (await startGateway(place)).stop();
        file = join(place.options.dataDir, 'blobs.sqlite');
        await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
    });

    afterEach(() => place.dispose());

    /** Changes the file, and returns its tables. */
    function tablesAfter(sql = ''): unknown[] {

        const db = new Sqlite(file);
        try {
            db.exec(sql);
            return db.prepare('select name from sqlite_schema where name like \'blob\\_%\' escape \'\\\' and type = \'table\' order by name').pluck().all();
        }
        finally {
            db.close();
        }
    }

    it('keeps the log of the lost file, which belongs to no other', async () => {

        await Promise.all(['-wal', '-shm'].map((suffix) => writeFile(`${file}${suffix}`, 'of the lost one')));

        await expect(openDatabase(place.options)).to.reject(/: move blobs\.sqlite-wal and blobs\.sqlite-shm away, then restore it from a backup, or run/);
        acceptLostFile(place.options.dataDir);

        const names = (await readdir(place.options.dataDir)).filter((name) => /^blobs\.sqlite-(?:wal|shm)\.\d/.test(name));
        expect(await Promise.all(names.map((name) => readFile(join(place.options.dataDir, name), 'utf8')))).to.equal(['of the lost one', 'of the lost one']);
        expect(tablesAfter()).to.equal(['blob_chunks', 'blob_seals']);
    });

    for (const [title, sql] of [['nothing', null], ['one of its tables', 'create table blob_chunks (blob_id integer not null, n integer not null, bytes blob not null, primary key (blob_id, n))']] as const) {

        it(`completes a file of which there is ${title}`, async () => {

            if (sql !== null) {
                tablesAfter(sql);
            }

            await expect(openDatabase(place.options)).to.reject(/blobs\.sqlite is missing or empty/);
            expect(acceptLostFile(place.options.dataDir)).to.match(/blobs\.sqlite is there again, empty/);
            expect(tablesAfter()).to.equal(['blob_chunks', 'blob_seals']);

            const { blobs } = await place.open();
            await blobs.writeChunk(1, 0, Buffer.from('stored'));
            await blobs.seal(1);
            expect((await blobs.readChunk(1, 0))?.toString()).to.equal('stored');
        });
    }

    it('makes all tables or none', () => {

        // A name that the second table cannot have.
        tablesAfter('create table other (x); create index blob_seals on other (x)');

        expect(() => acceptLostFile(place.options.dataDir)).to.throw(/blob_seals/);
        expect(tablesAfter()).to.equal([]);
    });
});
