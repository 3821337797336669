/** The copy of the rows that is made before a migration of a server, and the way back to it. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Mysql, { type RowDataPacket } from 'mysql2/promise';
import { migrateDatabase, openDatabase } from '../../../../db/engines/open.js';
import { lockServer } from '../../../../db/engines/mysql/migrate.js';
import { SILENT, type Log } from '../../../../db/log.js';
import { MIGRATIONS } from '../../../../db/migrations/index.js';
import { DIALECTS, type TestDatabase } from '../../../support/database.js';
import { canTestWith } from '../../../support/programs.js';
import { until } from '../../../support/until.js';
import { smallDisk, withoutDisks } from '../../../support/small-disk.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const BEFORE = MIGRATIONS.slice(0, -1);
const COPY = new RegExp(`^rows\\.${BEFORE.at(-1)?.name}\\.\\d{8}T\\d{9}Z\\.sql\\.gz$`);
const MIB = 1024 * 1024;
const PASSWORD = `p'w" $(x) %`;
const BYTES = Buffer.from([0, 1, 39, 92, 255, 10, 13, 26]);

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`the copy before a migration, on ${name}`, { skip: !canTestWith('mariadb-dump') || !canTestWith('mariadb') }, () => {

        let database: TestDatabase;
        let administrator: Mysql.Connection;
        let url: string;
        let user: string;
        let events: string[];
        let log: Log;

        beforeEach(async () => {

            database = await create();
            events = [];
            const collect = (fields: object): void => {

                // How far a copy is, is told every ten seconds.
                const { event } = fields as { event: string };
                events.push(...event === 'database.copying' ? [] : [event]);
            };

            log = { ...SILENT, info: collect, warn: collect };
            // With a password, and with rights to this database alone.
            const address = new URL(database.options.url ?? '');
            administrator = await Mysql.createConnection(address.href);
            const schema = address.pathname.slice(1);
            user = `copy_${schema.slice(-16)}`;
            await administrator.query(`create user ${user} identified by ?`, [PASSWORD]);
            await administrator.query(`grant all on ${schema}.* to ${user}`);
            [address.username, address.password] = [user, encodeURIComponent(PASSWORD)];
            url = address.href;
        });

        afterEach(async () => {

            await administrator.query(`drop user ${user}`);
            await administrator.end();
            await database.dispose();
        });

        /** A repository of the version before, with a setting, bytes and blobs. */
        async function fill(): Promise<void> {

            await migrateDatabase({ ...database.options, url }, { migrations: BEFORE });
            await administrator.query(`insert into settings (name, value) values ('x', 'bef\\'ore\\n“é')`);
            await administrator.query(`insert into blobs (store, state, created_on, touched_on) values ('database', 'linked', 1, 1)`);
            await administrator.query('insert into blob_chunks (blob_id, n, bytes) values (1, 0, ?)', [BYTES]);
            await administrator.query(`insert into search_sections (segment_id, name, part, crc, bytes) values (1, 's', 0, 0, ?)`, [BYTES]);
        }

        const migrate = (folder = database.options.dataDir, migrations = MIGRATIONS): Promise<void> =>
            migrateDatabase({ url, dataDir: folder, log }, { target: 'newest', migrations });

        const file = (...path: string[]): string => join(database.options.dataDir, ...path);

        /** Names of the copies; fails where there is anything else. */
        async function copies(): Promise<string[]> {

            const names = (await readdir(database.options.dataDir)).sort();
            expect(names.filter((each) => !COPY.test(each))).to.equal([]);
            return names;
        }

        /** Migrates with another program for dumps, a script of the shell. */
        async function migrateWith(script: string | null, options = ''): Promise<void> {

            const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-path-'));
            if (script !== null) {
                await writeFile(join(folder, 'mariadb-dump'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
            }

            const { PATH } = process.env;
            process.env['PATH'] = script === null ? folder : `${folder}:${PATH}`;
            try {
                await migrateDatabase({ url: url + options, dataDir: database.options.dataDir, log }, { target: 'newest' });
            }
            finally {
                process.env['PATH'] = PATH;
                await rm(folder, { recursive: true });
            }
        }

        const query = async (sql: string): Promise<unknown[]> => (await administrator.query<RowDataPacket[]>(sql))[0].map((row) => Object.values(row)[0] as unknown);

        it('has the rows as they were, for the owner only, and takes the place of the migrated ones', async () => {

            await fill();
            await migrate();

            expect(events).to.equal(['database.copied', 'database.migrated']);
            const [copy = '', ...others] = await copies();
            expect(others).to.equal([]);
            expect((await stat(file(copy))).mode & 0o777).to.equal(0o600);

            await administrator.query(`update settings set value = 'after'`);
            await administrator.query('insert into blob_chunks (blob_id, n, bytes) values (2, 0, ?)', [BYTES]);
            const { hostname, port, pathname } = new URL(url);
            const restored = spawnSync('mariadb', ['--no-defaults', `--host=${hostname}`, `--port=${port}`, `--user=${user}`, pathname.slice(1)], {
                input: gunzipSync(await readFile(file(copy))), env: { ...process.env, MYSQL_PWD: PASSWORD }
            });

            expect([restored.status, String(restored.stderr)]).to.equal([0, '']);
            expect(await query('select name from migrations order by name')).to.equal(BEFORE.map((each) => each.name));
            expect(await query(`select value from settings where name = 'x'`)).to.equal([`bef'ore\n“é`]);
            expect(await query('select bytes from search_sections')).to.equal([BYTES]);
            // Bytes of payloads stay where they are.
            expect(await query('select blob_id from blob_chunks order by blob_id')).to.equal([1, 2]);

            const opened = await openDatabase({ ...database.options, url });
            await opened.migrate();
            const made = await opened.commit({ steps: [{
                sql: `insert into blobs (store, state, created_on, touched_on) values ('database', 'staged', 1, 1)`, bindings: []
            }] });
            await opened.close();

            // No new blob gets the number of one that was stored after the copy.
            expect(made.ok && Number(made.steps[0]?.insertId)).to.equal(1_000_000_001);
        });

        it('is made by the start of a service', async () => {

            await fill();
            const opened = await openDatabase({ ...database.options, url, log });
            await opened.migrate();
            await opened.close();

            expect(events.filter((event) => event.startsWith('database.'))).to.include(['database.copied', 'database.migrated']);
            expect((await readdir(database.options.dataDir)).filter((each) => COPY.test(each))).to.have.length(1);
        });

        it('is made neither for a new database, nor without a pending migration', async () => {

            await migrate();
            await migrate();

            expect(events).to.equal(['database.migrated']);
            expect(await readdir(database.options.dataDir)).to.equal([]);
        });

        it('is made once when a migration fails again and again, and once more when something was written since; some of many stay', async () => {

            await fill();
            const failing = { name: '999-failing', up: () => Promise.reject(new Error('no')), down: () => Promise.resolve() };
            const attempt = (): Promise<void> => migrate(database.options.dataDir, [...BEFORE, failing]);
            await expect(attempt()).to.reject();
            const first = await copies();
            await expect(attempt()).to.reject();

            expect(await copies()).to.equal(first);
            expect(events.filter((event) => event === 'database.copied')).to.have.length(1);

            for (let n = 2; n <= 7; ++n) {
                await administrator.query(`insert into blobs (store, state, created_on, touched_on) values ('database', 'linked', 1, 1)`);
                await expect(attempt()).to.reject();
                expect(events.filter((event) => event === 'database.copied')).to.have.length(n);
                expect((await copies()).length).to.equal(Math.min(n, 5));
            }

            expect((await copies())[0]).to.equal(first[0]);
        });

        it('is made again after an hour, as changes of some tables cannot be seen', async () => {

            await fill();
            await migrate();
            const [copy = ''] = await copies();
            const old = copy.replace(/\d{8}T/, '20200101T');
            await rename(file(copy), file(old));
            await utimes(file(old), 1, 1);
            await migrateDatabase({ ...database.options, url }, { target: { downTo: BEFORE.at(-1)?.name ?? null } });
            await migrate();

            expect(await copies()).to.have.length(2);
        });

        it('removes what a killed process has left, and takes no damaged copy for a current one', async () => {

            await fill();
            await writeFile(file(`rows.${BEFORE.at(-1)?.name}.20200101T000000000Z.sql.gz`), 'no archive');
            await writeFile(file(`rows.${BEFORE.at(-1)?.name}.20200101T000000000Z.sql.gz.part`), 'a part');
            await writeFile(file('rows.001-objects.20200101T000000000Z.sql.gz.part'), 'a part before another migration');
            await migrate();

            expect(events).to.equal(['database.copied', 'database.migrated']);
            expect((await readdir(database.options.dataDir)).filter((name) => name.endsWith('.part'))).to.equal([]);
            const [, copy = ''] = await copies();
            expect(gunzipSync(await readFile(file(copy))).toString()).to.contain('CREATE TABLE `settings`');
        });

        const FAILURES: readonly [title: string, script: string | null, reason: string, options?: string][] = [
            ['where there is no program for it', null, 'neither of the programs mariadb-dump and mysqldump is installed'],
            ['when the program fails', 'test "$1" = --version && exec echo MariaDB; echo "create table x"; echo "no rights, it says" >&2; exit 3',
                'mariadb-dump ended with 3: no rights, it says'],
            ['when the program stops in the middle', 'test "$1" = --version && exec echo MariaDB; echo "create table x"; exec sleep 100',
                'mariadb-dump has sent nothing for 12 s', '?timeout=3']
        ];

        for (const [title, script, reason, options] of FAILURES) {
            it(`is left out ${title}, with the reason, and without a part of it`, async () => {

                await fill();
                const reasons: string[] = [];
                log = { ...log, warn: (fields: object) => reasons.push((fields as { err: Error }).err.message) };
                await migrateWith(script, options);

                expect(reasons).to.equal([reason]);
                expect(events).to.equal(['database.migrated']);
                expect(await copies()).to.equal([]);
            });
        }

        it('does not let two nodes migrate when the lock was lost meanwhile', async () => {

            await fill();
            const lock = `doip-gateway ${new URL(url).pathname.slice(1)}`;
            const marks = await mkdtemp(join(tmpdir(), 'doip-gateway-marks-'));
            const [begun, killed] = [join(marks, 'begun'), join(marks, 'killed')];
            const copying = `touch ${begun}; until test -e ${killed}; do echo "-- nothing"; sleep 0.1; done`;
            const work = migrateWith(`test "$1" = --version && exec echo MariaDB; ${copying}`).then(() => null, (error: unknown) => error);
            await until(() => existsSync(begun));
            await administrator.query(`kill ${String((await query(`select is_used_lock('${lock}')`))[0])}`);
            await writeFile(killed, '');

            expect(await work).to.be.an.error();
            expect(await query('select name from migrations order by name')).to.equal(BEFORE.map((each) => each.name));
            await rm(marks, { recursive: true });
        });

        it('keeps the lock alive where the server ends idle connections', async () => {

            const connection = await Mysql.createConnection(url);
            const held = await lockServer(connection, 'alive');
            await connection.query('set session wait_timeout = 20');
            await sleep(22_000);
            await held.check();
            await held.release();
            await connection.end();
        });

        it(`is left out when the disk has too little space${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

            const disk = smallDisk(4 * MIB);
            if (!disk) {
                return;
            }

            try {
                await fill();
                disk.fill(100 * 1024);
                await migrate(disk.path);

                expect(events).to.equal(['database.copy-skipped', 'database.migrated']);
                expect((await readdir(disk.path)).filter((each) => each.startsWith('rows.'))).to.equal([]);
            }
            finally {
                disk.remove();
            }
        });
    });
}
