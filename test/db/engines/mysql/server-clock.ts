/** The clock of a database server, which nodes take theirs from, however long its answers take. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { Database } from '../../../../db/database.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { SILENT } from '../../../../db/log.js';
import { createMysql, DIALECTS, type TestDatabase } from '../../../support/database.js';
import { startMysqlProxy, type MysqlProxy } from '../../../support/mysql-proxy.js';
import { startPrivateMariadb, type PrivateMariadb } from '../../../support/private-mariadb.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const READING = 'select cast(unix_timestamp(now(3)) * 1000 as unsigned) as now';
const HOUR_MS = 3_600_000;

/** More than this the answer of an idle server takes on no machine. */
const EXACT_MS = 600;

describe('the clock of a MariaDB server', { skip: DIALECTS.every(({ dialect }) => dialect !== 'mysql') }, () => {

    let server: PrivateMariadb;
    let place: TestDatabase;
    let administrator: Mysql.Connection;
    let proxy: MysqlProxy;
    let warnings: { readonly event?: string; readonly seconds?: number }[] = [];
    const opened: Database[] = [];

    before(async () => {

        server = await startPrivateMariadb();
        place = await createMysql(server.url);
        administrator = await Mysql.createConnection(server.url);
        const url = new URL(place.options.url ?? '');
        await administrator.query('create user gateway identified by \'pw\'');
        await administrator.query(`grant all on ${url.pathname.slice(1)}.* to gateway`);
        [url.username, url.password] = ['gateway', 'pw'];
        proxy = await startMysqlProxy(url.href);
    });

    afterEach(async () => {

        await administrator.query('set global init_connect = \'\'');
        await Promise.all(opened.splice(0).map((database) => database.close()));
        warnings = [];
    });

    after(async () => {

        await administrator?.end();
        await proxy?.close();
        await place?.dispose();
        await server?.stop();
    });

    async function open(): Promise<Database> {

        const database = await openDatabase({ ...place.options, url: proxy.url, log: { ...SILENT, warn: (fields) => warnings.push(fields) } });
        opened.push(database);
        return database;
    }

    /** Does work while the answer about the time takes so many milliseconds. */
    async function slowly<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {

        const hold = proxy.hold(READING);
        const working = work();
        await until(() => hold.count() === 1);
        await sleep(milliseconds);
        hold.release();
        return await working;
    }

    function differenceOf(database: Database): number {

        return database.now() - Date.now();
    }

    it('is known when the first answer takes longer than a second', async () => {

        // As if the clock of the server were ahead, for users without the right of administrators.
        await administrator.query('set global init_connect = \'set timestamp = unix_timestamp(sysdate()) + 3600\'');

        const database = await slowly(1500, open);

        expect(differenceOf(database)).to.be.between(HOUR_MS - 10_000, HOUR_MS + 10_000);
        const [{ seconds = 0 } = {}] = warnings.filter(({ event }) => event === 'database.clock-differs');
        expect(seconds).to.be.between(-3610, -3590);
    });

    it('is that of an exact answer, although later ones take longer than a second', async () => {

        const database = await open();
        const first = differenceOf(database);

        await slowly(2500, () => database.ping(20_000));

        expect([Math.abs(first) < EXACT_MS, Math.abs(differenceOf(database) - first) < EXACT_MS]).to.equal([true, true]);
    });
});
