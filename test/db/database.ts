import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import { forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`database on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;

        before(async () => {

            place = await create();
            database = await place.open();
        });

        after(() => place.dispose());

        function put(key: string, value: string, options: { duplicate?: string } = {}): Unit['steps'][number] {

            return { sql: 'insert into settings (name, value) values (?, ?)', bindings: [key, value], ...options };
        }

        async function names(prefix: string): Promise<string[]> {

            const rows = await database.read<{ name: string }>(
                { sql: 'select name from settings where name like ? order by name' }, [`${prefix}%`]);
            return rows.map((row) => row.name);
        }

        it('reads what was committed', async () => {

            const result = await database.commit({ steps: [put('read-me', '{"ä":"€😀"}')] });

            expect(result).to.equal({ ok: true, steps: [{ rows: 1, insertId: 0 }] }, { skip: ['steps'] });
            const rows = await database.read({ sql: 'select name, value from settings where name = ?' }, ['read-me']);
            expect(rows.map((row) => ({ ...row }))).to.equal([{ name: 'read-me', value: '{"ä":"€😀"}' }]);
        });

        it('isolates concurrent units: one fails, the others are committed', async () => {

            const results = await Promise.all(Array.from({ length: 100 }, (_, i) => {

                const key = `apart-${String(i % 90).padStart(2, '0')}`;
                return database.commit({ steps: [put(`apart-extra-${i}`, ''), put(key, String(i), { duplicate: 'taken' })] });
            }));

            expect(results.filter((result) => result.ok)).to.have.length(90);
            expect(results.filter((result) => !result.ok)).to.equal(Array.from({ length: 10 }, () => ({ ok: false, failed: 'taken' })));
            expect(await names('apart-extra')).to.have.length(90);
        });

        it('rolls back all steps of a unit when a step matches another number of rows', async () => {

            const result = await database.commit({ steps: [
                put('undone', 'x'),
                { sql: 'update settings set value = ? where name = ?', bindings: ['y', 'no-such'], expect: { rows: 1, otherwise: 'gone' } }
            ] });

            expect(result).to.equal({ ok: false, failed: 'gone' });
            expect(await names('undone')).to.equal([]);
        });

        it('counts matched rows, even if they do not change', async () => {

            await database.commit({ steps: [put('same', 'x')] });

            const result = await database.commit({ steps: [
                { sql: 'update settings set value = ? where name = ?', bindings: ['x', 'same'], expect: { rows: 1, otherwise: 'gone' } }
            ] });

            expect(result.ok).to.be.true();
        });

        it('returns the value of an auto-increment column', async () => {

            const sql = 'insert into blobs (store, state, created_on, touched_on) values (\'s\', \'staged\', ?, ?)';
            const first = await database.commit({ steps: [{ sql, bindings: [1, 1] }] });
            const second = await database.commit({ steps: [{ sql, bindings: [Date.now(), 2 ** 52 + 1] }] });

            const id = second.ok ? second.steps[0]?.insertId ?? 0 : 0;
            expect(first.ok && first.steps[0]!.insertId < id).to.be.true();
            const rows = await database.read({ sql: 'select touched_on from blobs where id = ? limit ?' }, [id, 1]);
            expect({ ...rows[0] }).to.equal({ touched_on: 2 ** 52 + 1 });
        });

        it('rejects a unit with an invalid statement, and writes nothing of it', async () => {

            const broken = database.commit({ steps: [put('broken', 'x'), { sql: 'insert into nowhere values (1)', bindings: [] }] });
            const fine = database.commit({ steps: [put('fine', 'x')] });

            await expect(broken).to.reject(/the database refused/);
            expect((await fine).ok).to.be.true();
            expect(await names('broken')).to.equal([]);
        });

        it('rejects a duplicate without a named precondition', async () => {

            await database.commit({ steps: [put('twice', 'x')] });

            await expect(database.commit({ steps: [put('twice', 'y')] })).to.reject(/the database refused/);
        });

        it('compares keys byte for byte', async () => {

            const keys = ['bytes-a', 'bytes-A', 'bytes-a ', 'bytes-ä', 'bytes-a\u0308'];
            const results = await Promise.all(keys.map((key) => database.commit({ steps: [put(key, key, { duplicate: 'taken' })] })));

            expect(results.every((result) => result.ok)).to.be.true();
            const expected = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
            expect(await names('bytes-')).to.equal(expected);
        });

        it('upserts with the same statement of the builder', async () => {

            const build = statements(database);
            const put = build<'name' | 'value'>((knex, bind) => {

                return knex('settings').insert({ name: bind('name'), value: bind('value') }).onConflict('name').merge();
            });
            await database.commit({ steps: [put.step({ name: 'upsert', value: '1' }), put.step({ name: 'upsert', value: '2' })] });

            const get = build<'name'>((knex, bind) => knex('settings').where('name', bind('name')).select('value'));
            expect(await get.first({ name: 'upsert' })).to.equal({ value: '2' });
            expect(await get.first({ name: 'missing' })).to.be.undefined();
        });

        it('writes, seals, reads, lists and deletes chunks', async () => {

            const { blobs } = database;
            for (const blob of [7, 9, 8]) {
                for (const n of [0, 1, 2]) {
                    await blobs.writeChunk(blob, n, Buffer.alloc(300_000, blob * 10 + n));
                }

                await blobs.seal(blob);
            }

            expect(await blobs.readChunk(8, 2)).to.equal(Buffer.alloc(300_000, 82));
            expect(await blobs.readChunk(8, 3)).to.be.null();
            expect(await blobs.readPart(8, 2, { start: 299_990, length: 20 })).to.equal({ size: 300_000, bytes: Buffer.alloc(10, 82) });
            expect(await blobs.readPart(8, 2, { start: 0, length: 3 })).to.equal({ size: 300_000, bytes: Buffer.alloc(3, 82) });
            expect(await blobs.readPart(8, 3, { start: 0, length: 3 })).to.be.null();
            expect(await blobs.measureChunks(8, 0, 3)).to.equal({ chunks: 3, bytes: 900_000 });
            expect(await blobs.measureChunks(8, 1, 2)).to.equal({ chunks: 1, bytes: 300_000 });
            expect(await blobs.measureChunks(10, 0, 3)).to.equal({ chunks: 0, bytes: 0 });
            expect(await blobs.listBlobs(0, 10)).to.equal([7, 8, 9]);
            expect(await blobs.listBlobs(7, 1)).to.equal([8]);
            expect(await blobs.deleteChunks(8, 2)).to.equal(2);
            expect(await blobs.readChunk(8, 0)).to.not.be.null();
            expect(await blobs.deleteChunks(8, 2)).to.equal(1);
            expect(await blobs.deleteChunks(8, 2)).to.equal(0);
            expect(await blobs.listBlobs(0, 10)).to.equal([7, 9]);
        });

        it('answers a ping, and rejects everything after it was closed', async () => {

            const other = await place.open();
            await other.ping();
            const pending = other.commit({ steps: [put('last-words', 'x')] });
            await other.close();

            expect((await pending).ok).to.be.true();
            expect(await names('last-words')).to.have.length(1);
            await expect(other.read({ sql: 'select 1' }, [])).to.reject(/closed/);
            await expect(other.commit({ steps: [] })).to.reject(/closed/);
        });
    });
});
