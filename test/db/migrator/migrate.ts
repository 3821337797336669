import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Row } from '../../../db/database.js';
import { MIGRATIONS } from '../../../db/migrations/index.js';
import type { Migration } from '../../../db/migration.js';
import { migrateDatabase, openDatabase } from '../../../db/engines/open.js';
import { forEachDatabase } from '../../support/database.js';
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

            expect(await read('select name, value from settings')).to.equal([{ name: 'schema.required', value: MIGRATIONS.at(-1)?.name ?? '' }]);
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

describe('the list of migrations', () => {

    it('is in order, with names independent of file extensions', () => {

        const names = MIGRATIONS.map(({ name }) => name);

        expect([...names].sort()).to.equal(names);
        expect(names.every((name) => /^\d{3}-[a-z-]+$/.test(name))).to.be.true();
    });
});
