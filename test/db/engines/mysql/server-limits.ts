/** A server that reaches its limits: no free connection, no further prepared statement, no more time, no more writes as another one is the primary. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { Database, SqlValue, Step, Unit } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { SILENT } from '../../../../db/log.js';
import { isPermanent } from '../../../../lib/start-errors.js';
import { createMysql, DIALECTS, type TestDatabase } from '../../../support/database.js';
import { startPrivateMariadb, type PrivateMariadb } from '../../../support/private-mariadb.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** More than the pool lets wait. */
const CROWD = 10_100;

async function fault(work: Promise<unknown>): Promise<string> {

    const error: unknown = await work.then(() => 'none', (reason: unknown) => reason);
    return error instanceof DatabaseError ? error.fault : String(error);
}

describe('the limits of a MariaDB server', { skip: DIALECTS.every(({ dialect }) => dialect !== 'mysql') }, () => {

    let server: PrivateMariadb;
    let place: TestDatabase;
    let administrator: Mysql.Connection;
    let url: string;
    let warnings: object[] = [];
    const opened: Database[] = [];

    before(async () => {

        server = await startPrivateMariadb();
        place = await createMysql(server.url);
        await (await place.open()).commit({ steps: [put('first')] });
        administrator = await Mysql.createConnection(server.url);
        const limited = new URL(place.options.url ?? '');
        await administrator.query('create user gateway identified by \'pw\'');
        await administrator.query(`grant all on ${limited.pathname.slice(1)}.* to gateway`);
        [limited.username, limited.password] = ['gateway', 'pw'];
        url = limited.href;
    });

    afterEach(async () => {

        await administrator.query('set global read_only = 0, max_prepared_stmt_count = default, max_statement_time = default');
        await Promise.all(opened.splice(0).map((database) => database.close()));
    });

    after(async () => {

        await administrator.end();
        await place.dispose();
        await server.stop();
    });

    async function open(options: string): Promise<Database> {

        warnings = [];
        const database = await openDatabase({ ...place.options, url: `${url}${options}`, log: { ...SILENT, warn: (fields) => warnings.push(fields) } });
        opened.push(database);
        return database;
    }

    function put(name: string, value: SqlValue = ''): Step {

        return { sql: 'insert into settings (name, value) values (?, ?)', bindings: [name, value] };
    }

    async function has(name: string): Promise<boolean> {

        const [rows] = await administrator.query(`select name from ${new URL(url).pathname.slice(1)}.settings where name = ?`, [name]);
        return (rows as unknown[]).length > 0;
    }

    async function isRunning(statement: string): Promise<boolean> {

        const [rows] = await administrator.query('select id from information_schema.processlist where info = ?', [statement]);
        return (rows as unknown[]).length > 0;
    }

    async function status(name: string): Promise<number> {

        const [rows] = await administrator.query('show global status like ?', [name]);
        return Number((rows as { Value: string }[])[0]?.Value);
    }

    describe('of connections', () => {

        it('end the wait of a request for one after the timeout', async () => {

            const database = await open('?connections=1&timeout=4');
            const began = performance.now();

            const faults = await Promise.all(Array.from({ length: 60 }, () => fault(database.read({ sql: 'select sleep(1)' }, []))));

            expect([...new Set(faults)].sort()).to.equal(['none', 'unavailable']);
            expect(performance.now() - began).to.be.below(30_000);
            await database.close();
        });

        it('reject at once what no queue has room for', async () => {

            const database = await open('?connections=1');
            await database.migrate();

            const work = Array.from({ length: CROWD }, () => fault(database.read({ sql: 'select 1' }, [])));
            const ping = fault(database.ping());
            const unit = fault(database.commit({ steps: [put('crowded')] }));
            const first = await Promise.race([unit, ...work.slice(-10)]);

            expect([first, await unit, await ping]).to.equal(['unavailable', 'unavailable', 'none']);
            expect((await Promise.all(work)).filter((each) => each !== 'none').length).to.be.between(1, 200);
            expect(await has('crowded')).to.be.false();
            expect((await database.commit({ steps: [put('uncrowded')] })).ok).to.be.true();
        });
    });

    describe('of a copy that may not be written', () => {

        const kinds: [string, Omit<Unit, 'steps'>][] = [['a unit', {}], ['a unit of one step', { isRepeatable: true }], ['a shared unit', { shared: true }]];
        for (const [title, more] of kinds) {
            it(`make ${title} unavailable, and close its connection, until there is a primary again`, async () => {

                const database = await open('?connections=1');
                await database.migrate();
                const [before] = await database.read({ sql: 'select connection_id() as id' }, []);
                await administrator.query('set global read_only = 1');

                const found = await fault(database.commit({ steps: [put(`copy-${title}`)], ...more }));
                const [rest] = await database.read({ sql: 'select connection_id() as id' }, []);
                await administrator.query('set global read_only = 0');

                expect(found).to.equal('unavailable');
                expect(Number(rest?.['id'])).to.be.above(Number(before?.['id']));
                expect((await database.commit({ steps: [put(`copy-${title}`)], ...more })).ok).to.be.true();
            });
        }

        it('are waited for by a write, for a moment', async () => {

            const database = await open('?connections=1');
            await administrator.query('set global read_only = 1');
            const writing = database.commit({ steps: [put('soon')] });
            await database.read({ sql: 'select 1' }, []);
            await administrator.query('set global read_only = 0');

            expect((await writing).ok).to.be.true();
        });

        it('make a transaction in progress unavailable, not unknown', async () => {

            const database = await open('?connections=1');
            const writing = fault(database.commit({ steps: [put('in-progress'), { sql: 'select sleep(8)', bindings: [] }] }));
            await until(() => isRunning('select sleep(8)'));
            await administrator.query('set global read_only = 1');

            expect(await writing).to.equal('unavailable');
            expect(await has('in-progress')).to.be.false();
        });

        it('keep a node from starting, like a server that is away', async () => {

            await administrator.query('set global read_only = 1');
            const database = await open('');

            const error = await database.migrate().then(() => null, (reason: unknown) => reason);

            expect(error).to.be.an.error(/read-only/);
            expect(isPermanent(error)).to.be.false();
        });
    });

    describe('of time', () => {

        it('end a read once, and keep its connection', async () => {

            await administrator.query('set global max_statement_time = 3');
            const database = await open('?connections=1');
            const [first] = await database.read({ sql: 'select connection_id() as id' }, []);
            const exceeded = await status('Max_statement_time_exceeded');

            const found = await fault(database.read({ sql: 'select sleep(20)' }, []));
            const [second] = await database.read({ sql: 'select connection_id() as id' }, []);

            expect([found, await status('Max_statement_time_exceeded') - exceeded]).to.equal(['unavailable', 1]);
            expect(second).to.equal(first);
            expect(warnings.filter((fields) => 'event' in fields && fields.event === 'database.timed-out')).to.have.length(1);
        });

        it('end one of several units that share a transaction, and let the others be written', async () => {

            await administrator.query(`use ${new URL(url).pathname.slice(1)}`);
            await administrator.query('insert into settings (name, value) values (?, ?)', ['locked', '0']);
            await administrator.query('set global max_statement_time = 1');
            const database = await open('?timeout=20');
            await administrator.query('begin');
            await administrator.query('update settings set value = 1 where name = ?', ['locked']);
            const wait: Step = { sql: 'update settings set value = 2 where name = ?', bindings: ['locked'] };
            const units: readonly Step[][] = [[put('beside-1')], [put('beside-2'), wait], [put('beside-3')], [put('beside-4')]];

            const found = await Promise.all(units.map((steps) => fault(database.commit({ steps, shared: true }))));
            await administrator.query('rollback');

            expect(found).to.equal(['none', 'unavailable', 'none', 'none']);
            expect(await Promise.all([1, 2, 3, 4].map((n) => has(`beside-${n}`)))).to.equal([true, false, true, true]);
            expect((await database.commit({ steps: [put('beside-2'), wait], shared: true })).ok).to.be.true();
        });
    });

    describe('of prepared statements', () => {

        it('change no result, as statements are then sent as text', async () => {

            await administrator.query('set global max_prepared_stmt_count = 0');
            const database = await open('');
            const text = 'it\'s "\\ 100 % ? ?? :x -- \n\0😀';
            const bytes = Buffer.from([0, 255, 128, 39, 92, 10]);

            expect((await database.commit({ steps: [put('text', text), put('bytes', 'x')] })).ok).to.be.true();
            expect((await database.commit({ steps: [put('alone', text)], isRepeatable: true })).ok).to.be.true();
            expect((await Promise.all(['a', 'b', 'c'].map((name) => database.commit({ steps: [put(`shared-${name}`)], shared: true })))).every(({ ok }) => ok)).to.be.true();
            await database.blobs.writeChunk(2 ** 40, 0, bytes);
            const [row] = await database.read({ sql: 'select blob_id, bytes, ? as text, ? as nothing, ? as fraction, ? as whole from blob_chunks where blob_id = ? limit ?' },
                [text, null, 1.5, -3, 2 ** 40, 1n]);

            expect({ ...row }).to.equal({ blob_id: 2 ** 40, bytes, text, nothing: null, fraction: 1.5, whole: -3 });
            expect(await database.read({ sql: 'select name from settings where value = ? order by name' }, [text])).to.have.length(2);
            expect(warnings.filter((fields) => 'event' in fields && fields.event === 'database.unprepared')).to.have.length(1);
        });

        it('are shared by the connections of several nodes', async () => {

            await administrator.query('set global max_prepared_stmt_count = 240');
            const database = await open('?connections=4');
            await Promise.all(Array.from({ length: 400 }, (_, i) => database.read({ sql: `select ${i}, sleep(0.001)` }, [])));

            // A third of the limit, and one more on each connection for a moment
            expect(await status('Prepared_stmt_count')).to.be.within(40, 84);
            expect(warnings).to.equal([{ event: 'database.prepared-statements', max_prepared_stmt_count: 240, perConnection: 20, recommended: 6000 }]);
        });
    });
});
