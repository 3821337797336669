/** A server that reaches its limits: no free connection. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { Database, Step } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { createMysql, DIALECTS, type TestDatabase } from '../../../support/database.js';
import { startPrivateMariadb, type PrivateMariadb } from '../../../support/private-mariadb.js';

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

    afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));

    after(async () => {

        await administrator.end();
        await place.dispose();
        await server.stop();
    });

    async function open(options: string): Promise<Database> {

        const database = await openDatabase({ ...place.options, url: `${url}${options}` });
        opened.push(database);
        return database;
    }

    function put(name: string, value = ''): Step {

        return { sql: 'insert into settings (name, value) values (?, ?)', bindings: [name, value] };
    }

    async function has(name: string): Promise<boolean> {

        const [rows] = await administrator.query(`select name from ${new URL(url).pathname.slice(1)}.settings where name = ?`, [name]);
        return (rows as unknown[]).length > 0;
    }

    describe('of connections', () => {

        it('end the wait of a request for one after the timeout', async () => {

            const database = await open('?connections=1&timeout=1');
            const began = performance.now();

            const faults = await Promise.all(Array.from({ length: 12 }, () => fault(database.read({ sql: 'select sleep(0.3)' }, []))));

            expect([...new Set(faults)].sort()).to.equal(['none', 'unavailable']);
            expect(performance.now() - began).to.be.below(3000);
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
});
