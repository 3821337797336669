import { createHash } from 'node:crypto';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Row } from '../../../db/database.js';
import { MIGRATIONS } from '../../../db/migrations/index.js';
import type { Migration } from '../../../db/migration.js';
import { requiredOf } from '../../../db/migrator/compatibility.js';
import { migrateDatabase, openDatabase } from '../../../db/engines/open.js';
import { createSqlite, forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const NEWER: Migration = {
    name: '999-from-the-future',
    up: ({ knex }) => knex.schema.createTable('future', (table) => {

        table.integer('id');
    }),
    down: ({ knex }) => knex.schema.dropTable('future')
};

forEachDatabase((name, create, dialect) => {

    describe(`migrations on ${name}`, () => {

        let place: TestDatabase;

        beforeEach(async () => {

            place = await create();
        });

        afterEach(() => place.dispose());

        async function read(sql: string): Promise<Row[]> {

            const database = await openDatabase(place.options);
            try {
                return (await database.read({ sql }, [])).map((row) => ({ ...row }));
            }
            finally {
                await database.close();
            }
        }

        /** Tables, columns and indexes as the database tells them. */
        async function schema(): Promise<Row[]> {

            return await read(dialect === 'sqlite' ?
                'select type, name, tbl_name, sql from sqlite_master where name not like \'%migrations%\' order by type, name' :
                'select table_name, column_name, column_type, is_nullable, column_key, collation_name from information_schema.columns ' +
                    'where table_schema = database() and table_name not like \'%migrations%\' order by table_name, column_name');
        }

        it('run up, down and up again', async () => {

            await migrateDatabase(place.options, { target: 'newest' });
            const first = await schema();
            expect(await read('select id, types, identity from epochs')).to.equal([{ id: 1, types: 0, identity: 0 }]);

            await migrateDatabase(place.options, { target: { downTo: null } });
            const rest = (await schema()).filter((row) => !String(row['name']).startsWith('sqlite_'));
            expect(rest).to.equal([]);

            await migrateDatabase(place.options, { target: 'newest' });
            expect(await schema()).to.equal(first);
        });

        it('run down to a named migration', async () => {

            await migrateDatabase(place.options, { target: 'newest' });

            await migrateDatabase(place.options, { target: { downTo: '001-objects' } });

            expect(await read('select name from migrations')).to.equal([{ name: '001-objects' }]);
            expect(await read('select count(*) as n from objects')).to.equal([{ n: 0 }]);
        });

        it('find the principals in objects and groups of an older version', async () => {

            const before = MIGRATIONS.findIndex((migration) => migration.name === '015-principals');
            await migrateDatabase(place.options, { migrations: MIGRATIONS.slice(0, before) });
            const database: Database = await openDatabase(place.options);
            const acl = JSON.stringify({ readers: ['public', 'test/gone', 'test/group'], payloadReaders: ['test/gone'] });
            const object = 'insert into objects (id, type, content, acl, created_on, created_by, modified_on, modified_by, txn_id) ' +
                'values (?, \'T\', \'{}\', ?, 1, ?, 1, \'admin\', 1)';
            await database.commit({ steps: [
                { sql: object, bindings: ['test/a', acl, 'kc/alice'] }, { sql: object, bindings: ['test/b', null, 'anonymous'] },
                { sql: object, bindings: ['test/group', '{}', 'test/librarian'] }, { sql: object, bindings: ['test/user', null, 'admin'] },
                { sql: 'insert into accounts (user_id, active, must_change_password) values (\'test/user\', 1, 0)', bindings: [] },
                ...['test/user', 'test/other'].map((member) => (
                    { sql: 'insert into group_members (group_id, member_id) values (\'test/group\', ?)', bindings: [member] }))
            ] });
            await database.close();

            await migrateDatabase(place.options, { target: 'newest' });

            expect(await read('select id, held, is_external, owner, author from principals order by id')).to.equal([
                { id: 'kc/alice', held: 0, is_external: 0, owner: null, author: null },
                { id: 'test/gone', held: 0, is_external: 0, owner: null, author: null },
                { id: 'test/group', held: 1, is_external: 0, owner: null, author: 'test/librarian' },
                { id: 'test/librarian', held: 0, is_external: 0, owner: null, author: null },
                { id: 'test/user', held: 1, is_external: 0, owner: null, author: 'admin' }
            ]);
        });

        /** Columns without their order, and without defaults. */
        async function columnsOf(): Promise<Row[]> {

            return dialect === 'sqlite' ?
                await read('select m.name as "table", c.name, c.type, c."notnull", c.pk from sqlite_master as m join pragma_table_info(m.name) as c ' +
                    'where m.type = \'table\' and m.name not like \'sqlite%\' order by m.name, c.name') :
                await schema();
        }

        // Columns that were added to a migration after versions without them had been in use.
        const FORMER_TABLES: readonly (readonly [table: string, column: string, last: string])[] = [
            ['number_floor', 'fence', '025-write-fences'],
            ['payload_texts', 'characters', '006-index-sources'],
            ['payload_texts', 'characters', '025-write-fences']
        ];

        for (const [table, column, last] of FORMER_TABLES) {
            it(`add ${table}.${column} to a database that an earlier form of the migrations up to ${last} has made`, async () => {

                await migrateDatabase(place.options, { target: 'newest' });
                const expected = await columnsOf();
                await migrateDatabase(place.options, { target: { downTo: null } });
                await migrateDatabase(place.options, { migrations: MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name: each }) => each === last) + 1) });
                const database = await openDatabase(place.options);
                await database.commit({ steps: [{ sql: `alter table ${table} drop column ${column}`, bindings: [] }] });
                await database.close();

                await (await place.open()).close();
                expect(await columnsOf()).to.equal(expected);

                // Made again, after a crash before it was recorded.
                const again = await openDatabase(place.options);
                await again.commit({ steps: [{ sql: 'delete from migrations where name = \'026-missing-columns\'', bindings: [] }] });
                await again.close();
                await (await place.open()).close();
                expect(await columnsOf()).to.equal(expected);
            });
        }

        it('reject a database that a newer version has migrated', async () => {

            await migrateDatabase(place.options, { migrations: [...MIGRATIONS, NEWER] });

            await expect(place.open()).to.reject('the database was changed by a newer version of this program: it has the migrations ' +
                '999-from-the-future, which this version does not know; start that version, or restore a backup');
            expect(await read('select count(*) as n from objects')).to.equal([{ n: 0 }]);
        });

        it('let an older program use what a newer one has changed compatibly', async () => {

            const nothing = { up: () => Promise.resolve(), down: () => Promise.resolve() };
            const [compatible, later] = ['998-compatible', '999-later'].map((each): Migration => ({ ...nothing, name: each, isCompatible: true })) as [Migration, Migration];
            await migrateDatabase(place.options, { migrations: [...MIGRATIONS, compatible] });
            await (await place.open()).read({ sql: 'select name from settings' }, []);
            // Its own next version does not lower what is required.
            await migrateDatabase(place.options, { migrations: [...MIGRATIONS, compatible, NEWER] });
            await migrateDatabase(place.options, { migrations: [...MIGRATIONS, compatible, NEWER, later] });

            await expect(place.open()).to.reject(/^the database was changed by a newer version/);
            await expect(migrateDatabase(place.options, { migrations: [...MIGRATIONS, compatible] })).to.reject(/it has the migrations 999-from-the-future, 999-later,/);
            await migrateDatabase(place.options, { migrations: [...MIGRATIONS, compatible, NEWER] });
        });

        it('run in turn when several processes start concurrently', async () => {

            const databases = await Promise.all([1, 2, 3].map(() => place.open()));

            expect(databases).to.have.length(3);
            expect(await read('select name from migrations order by id')).to.equal(MIGRATIONS.map((migration) => ({ name: migration.name })));
        });

        it('resume after a process died during a migration', async () => {

            // What such a process leaves: the lock in knex's table, and on MySQL tables without the note that they were made.
            await migrateDatabase(place.options, { migrations: MIGRATIONS.slice(0, 1) });
            const database: Database = await openDatabase(place.options);
            const left = ['update migrations_lock set is_locked = 1', 'delete from migrations', 'drop table settings', 'delete from epochs'];
            await database.commit({ steps: left.map((sql) => ({ sql, bindings: [] })) });
            await database.close();

            await place.open();

            expect(await read('select name, value from settings')).to.equal([{ name: 'schema.required', value: requiredOf(MIGRATIONS) ?? '' }]);
            expect(await read('select id from epochs')).to.equal([{ id: 1 }]);
        });

        it('roll back a failed migration where possible, and can be repeated', async () => {

            let broken = true;
            const fragile: Migration = {
                name: '998-fragile',
                async up({ knex }) {

                    if (!await knex.schema.hasTable('fragile')) {
                        await knex.schema.createTable('fragile', (table) => {

                            table.integer('id');
                        });
                    }

                    if (broken) {
                        throw new Error('the power went out');
                    }
                },
                down: ({ knex }) => knex.schema.dropTable('fragile')
            };
            const migrations = [...MIGRATIONS, fragile];

            await expect(migrateDatabase(place.options, { migrations })).to.reject(/the power went out/);
            broken = false;
            await migrateDatabase(place.options, { migrations });

            expect(await read('select count(*) as n from fragile')).to.equal([{ n: 0 }]);
        });
    });
});

/** Digests of all columns and indexes after each migration, on SQLite. A migration is never edited once it can have run: what it lacks is for a new one. */
const RELEASED: Readonly<Record<string, string>> = {
    '001-objects': '2546219288dd3915',
    '002-payloads': '609f3934358e02e8',
    '003-jobs': '53292295ed20c17b',
    '004-identity': '09b57b329675cd45',
    '005-search': 'de2fdc2746b525c6',
    '006-index-sources': '5a28b46e740295e1',
    '008-script-modules': '6993bbcc21736029',
    '010-versions': 'ae0f4720df79a2e8',
    '011-handles': 'ea098f72099be7df',
    '014-number-floor': '6beb35b7e6aff36e',
    '015-principals': '47dfbd2537c9398e',
    '016-search-batches': '12c9cbb52736aa3f',
    '017-node-floors': '086a1e7ae3029046',
    '018-api-keys': 'c9a8a1e143aaf411',
    '020-usage': 'ac76e5a29ad94dae',
    '021-audit': 'e2bf1ec4c0f7aa57',
    '022-blob-checksums': 'f5d2c30ef1e2abe9',
    '023-type-changes': '852d30089ea889bf',
    '024-guarded-rows': 'c42c62820138e1cc',
    '025-write-fences': '498792d81231bb82',
    '026-missing-columns': '498792d81231bb82',
    '027-former-rules': '7c38006c5225a499'
};

const COLUMNS = 'select m.name, c.name as "column", c.type, c."notnull", c.dflt_value, c.pk from sqlite_master as m join pragma_table_info(m.name) as c ' +
    'where m.type = \'table\' and m.name not like \'%migrations%\' and m.name not like \'sqlite%\' order by m.name, c.cid';
const INDEXES = 'select m.name, m.tbl_name, c.name as "column" from sqlite_master as m join pragma_index_info(m.name) as c ' +
    'where m.type = \'index\' and m.tbl_name not like \'%migrations%\' order by m.name, c.seqno';

describe('the list of migrations', () => {

    it('makes the tables that each migration made when it was released', async () => {

        const place = await createSqlite();
        const found: Record<string, string> = {};
        for (const [n, { name }] of MIGRATIONS.entries()) {
            await migrateDatabase(place.options, { migrations: MIGRATIONS.slice(0, n + 1) });
            const database = await openDatabase(place.options);
            const rows = await Promise.all([COLUMNS, INDEXES].map((sql) => database.read({ sql }, [])));
            await database.close();
            found[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16);
        }

        await place.dispose();

        expect(found).to.equal({ ...RELEASED });
    });

    it('is in order, with names independent of file extensions', () => {

        const names = MIGRATIONS.map(({ name }) => name);

        expect([...names].sort()).to.equal(names);
        expect(names.every((name) => /^\d{3}-[a-z-]+$/.test(name))).to.be.true();
    });
});
