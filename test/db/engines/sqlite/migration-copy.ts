/** The copy of the rows that is made before a migration, and the way back to it. */

import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { migrateDatabase } from '../../../../db/engines/open.js';
import type { Log } from '../../../../db/log.js';
import { SILENT } from '../../../../db/log.js';
import { MIGRATIONS } from '../../../../db/migrations/index.js';
import { createSqlite, type TestDatabase } from '../../../support/database.js';
import { until } from '../../../support/until.js';
import { smallDisk, withoutDisks } from '../../../support/small-disk.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const BEFORE = MIGRATIONS.slice(0, -1);
const COPY = `repository.sqlite.${BEFORE.at(-1)?.name}`;
const MIB = 1024 * 1024;
/** More than a tick of the clock of file systems. */
const CLOCK_MS = 20;

describe('the copy before a migration', () => {

    let database: TestDatabase;
    let events: string[];
    let log: Log;

    beforeEach(async () => {

        database = await createSqlite();
        events = [];
        const collect = (fields: object): unknown => events.push((fields as { event: string }).event);
        log = { ...SILENT, info: collect, warn: collect };
    });

    afterEach(() => database.dispose());

    /** A repository of the version before, with an object and a blob. */
    async function fill(dataDir: string): Promise<void> {

        await migrateDatabase({ dataDir }, { migrations: BEFORE });
        const db = new Sqlite(join(dataDir, 'repository.sqlite'));
        db.exec(`insert into settings (name, value) values ('x', 'before');
            insert into blobs (store, state, created_on, touched_on) values ('database', 'linked', 1, 1)`);
        db.close();
    }

    function query(file: string, sql: string): unknown {

        const db = new Sqlite(join(database.options.dataDir, file));
        try {
            return db.prepare(sql).pluck().all();
        }
        finally {
            db.close();
        }
    }

    it('has the rows as they were, for the owner only, and can take the place of the migrated file', async () => {

        const { dataDir } = database.options;
        await fill(dataDir);
        await migrateDatabase({ dataDir, log }, { target: 'newest' });
        const file = (name: string): string => join(dataDir, name);

        expect(events).to.equal(['database.copied', 'database.migrated']);
        expect((await stat(file(COPY))).mode & 0o777).to.equal(0o600);
        expect(query(COPY, 'select name from migrations order by id')).to.equal(BEFORE.map(({ name }) => name));

        await Promise.all(['-wal', '-shm'].map((suffix) => rm(file(`repository.sqlite${suffix}`), { force: true })));
        await rename(file(COPY), file('repository.sqlite'));
        const opened = await database.open();
        const settings = await opened.read({ sql: 'select value from settings where name = ?' }, ['x']);
        const created = await opened.commit({ steps: [{
            sql: `insert into blobs (store, state, created_on, touched_on) values ('database', 'staged', 1, 1)`, bindings: []
        }] });

        expect(settings).to.equal([{ value: 'before' }]);
        // No new blob gets the number of one that was stored after the copy.
        expect(created.ok && created.steps[0]?.insertId).to.equal(1_000_000_002);
    });

    it('gives no number again of a blob that was stored after it, not even where none was stored before', async () => {

        const { dataDir } = database.options;
        await migrateDatabase({ dataDir }, { migrations: BEFORE });
        await migrateDatabase({ dataDir, log }, { target: 'newest' });
        const insert = `insert into blobs (store, state, created_on, touched_on) values ('database', 'staged', 1, 1) returning id`;

        expect([query('repository.sqlite', insert), query(COPY, insert)]).to.equal([[1], [1_000_000_001]]);
    });

    it('is made neither for a new database, nor without a pending migration', async () => {

        const { dataDir } = database.options;
        await migrateDatabase({ dataDir, log }, { target: 'newest' });
        await migrateDatabase({ dataDir, log }, { target: 'newest' });

        expect(events).to.equal(['database.migrated']);
    });

    it('is made once when a migration fails again and again, and anew when something was written since', async () => {

        const { dataDir } = database.options;
        await fill(dataDir);
        const failing = { name: '999-failing', up: () => Promise.reject(new Error('no')), down: () => Promise.resolve() };
        const copies = (): string[] => events.filter((event) => event === 'database.copied');
        const attempt = (): Promise<void> => migrateDatabase({ dataDir, log }, { target: 'newest', migrations: [...BEFORE, failing] });
        await expect(attempt()).to.reject();
        const first = await stat(join(dataDir, COPY));
        await expect(attempt()).to.reject();
        const second = await stat(join(dataDir, COPY));

        expect(second.ino).to.equal(first.ino);
        expect(copies()).to.have.length(1);

        await until(() => Date.now() > second.mtimeMs + CLOCK_MS);
        const db = new Sqlite(join(dataDir, 'repository.sqlite'));
        db.exec(`update settings set value = 'since' where name = 'x'`);
        db.close();
        await migrateDatabase({ dataDir, log }, { target: 'newest' });

        expect(copies()).to.have.length(2);
        expect(query(COPY, `select value from settings where name = 'x'`)).to.equal(['since']);
    });

    it('is made anew when something was written since by a clock that was set back', async () => {

        const { dataDir } = database.options;
        await fill(dataDir);
        const failing = { name: '999-failing', up: () => Promise.reject(new Error('no')), down: () => Promise.resolve() };
        await expect(migrateDatabase({ dataDir, log }, { target: 'newest', migrations: [...BEFORE, failing] })).to.reject();
        const later = new Date(Date.now() + 30 * 24 * 60 * 60_000);
        await utimes(join(dataDir, COPY), later, later);
        const db = new Sqlite(join(dataDir, 'repository.sqlite'));
        const values = db.prepare(`select name, type from pragma_table_info('objects') where "notnull" = 1`).all() as { name: string; type: string }[];
        db.prepare(`insert into objects (${values.map(({ name }) => name).join()}) values (${values.map(({ type }) => (/int|num|real|doub/i.test(type) ? '7' : `'{}'`)).join()})`).run();
        db.close();

        await migrateDatabase({ dataDir, log }, { target: 'newest' });

        expect(events.filter((event) => event === 'database.copied')).to.have.length(2);
        expect(query(COPY, 'select count(*) from objects')).to.equal([1]);
    });

    const LEFT = [`${COPY}.part`, `${COPY}.part-journal`, 'repository.sqlite.001-objects.part'];

    it('removes what killed processes have left, before whichever migration', async () => {

        const { dataDir } = database.options;
        await fill(dataDir);
        await Promise.all([...LEFT, 'repository.sqlite.mine'].map((name) => writeFile(join(dataDir, name), 'a part')));
        await migrateDatabase({ dataDir, log }, { target: 'newest' });

        expect(events).to.equal(['database.copied', 'database.migrated']);
        expect((await readdir(dataDir)).filter((name) => name.startsWith('repository.sqlite.') && !name.endsWith('.migrating'))).to.only.include([COPY, 'repository.sqlite.mine']);
    });

    it(`is made when what a killed process has left takes its space${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

        const disk = smallDisk(4 * MIB);
        if (!disk) {
            return;
        }

        try {
            await fill(disk.path);
            await writeFile(join(disk.path, LEFT[0] ?? ''), Buffer.alloc(MIB));
            disk.fill(450 * 1024);
            await migrateDatabase({ dataDir: disk.path, log }, { target: 'newest' });

            expect(events).to.equal(['database.copied', 'database.migrated']);
        }
        finally {
            disk.remove();
        }
    });

    it(`is left out when the disk has too little space${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

        const disk = smallDisk(4 * MIB);
        if (!disk) {
            return;
        }

        try {
            await fill(disk.path);
            disk.fill(450 * 1024);
            await migrateDatabase({ dataDir: disk.path, log }, { target: 'newest' });

            expect(events).to.equal(['database.copy-skipped', 'database.migrated']);
            expect((await readdir(disk.path)).filter((name) => name.startsWith(COPY))).to.equal([]);
        }
        finally {
            disk.remove();
        }
    });
});
