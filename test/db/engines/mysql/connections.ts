/** A server that accepts fewer connections than nodes may open: requests wait for those that there are. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { Database } from '../../../../db/database.js';
import { openDatabase } from '../../../../db/engines/open.js';
import { closeSurplusConnections } from '../../../../db/engines/mysql/surplus-connections.js';
import { DIALECTS, type TestDatabase } from '../../../support/database.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ALLOWED = 3;

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`few connections to ${name}`, () => {

        let place: TestDatabase;
        let administrator: Mysql.Connection;
        let user: string;
        let url: string;
        const opened: Database[] = [];

        before(async () => {

            place = await create();
            await place.open();
            administrator = await Mysql.createConnection(place.options.url ?? '');
            const limited = new URL(place.options.url ?? '');
            user = limited.pathname.slice(1).slice(-20);
            await administrator.query(`create user ${user} identified by 'pw' with max_user_connections ${ALLOWED}`);
            await administrator.query(`grant all on ${limited.pathname.slice(1)}.* to ${user}`);
            [limited.username, limited.password] = [user, 'pw'];
            url = limited.href;
        });

        after(async () => {

            await Promise.all(opened.map((database) => database.close()));
            await administrator.query(`drop user ${user}`);
            await administrator.end();
            await place.dispose();
        });

        async function open(options = ''): Promise<Database> {

            const database = await openDatabase({ ...place.options, url: `${url}${options}` });
            opened.push(database);
            return database;
        }

        /** Opens when there is a connection: the server counts one for a moment after it was closed. */
        async function openSoon(options = ''): Promise<Database> {

            const found: Database[] = [];
            await until(() => open(options).then((database) => found.push(database) > 0, () => false));
            return found[0] as Database;
        }

        it('are shared by all requests of two nodes that may open more', async () => {

            const nodes = [await open('?connections=10'), await open('?connections=10')];
            await Promise.all(nodes.map((node) => node.migrate()));
            const work = nodes.flatMap((node, n) => Array.from({ length: 40 }, (_, i) => [
                node.read({ sql: 'select sleep(0.002)' }, []),
                node.commit({ steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: [`few-${n}-${i}`, ''] }] }),
                node.ping()
            ]).flat());

            await Promise.all(work);

            expect(await nodes[0]?.read({ sql: 'select count(*) as n from settings where name like \'few-%\'' }, [])).to.equal([{ n: 80 }]);
            await Promise.all(nodes.map((node) => node.close()));
        });

        it('are missed with a sentence by a node that gets none, until there is one', async () => {

            const [first] = await Promise.all(Array.from({ length: ALLOWED }, () => openSoon('?connections=1')));

            await expect(open()).to.reject(/cannot be opened as user .*: .*max_user_connections/);
            await first?.close();
            await (await openSoon()).ping();
        });

        it('are closed when they have not been used for a while, but some', async () => {

            const { pool } = Mysql.createPool({ uri: place.options.url ?? '', connectionLimit: 6, gracefulEnd: true });
            const stop = closeSurplusConnections(pool, { minUnused: 2, unusedMs: 50, checkMs: 10 });
            const connected = async (): Promise<number> => {

                const [rows] = await administrator.query('select id from information_schema.processlist where id in (?)', [ids]);
                return (rows as unknown[]).length;
            };

            const ids = await Promise.all(Array.from({ length: 6 }, async () => {

                const [rows] = await pool.promise().query('select connection_id() as id, sleep(0.05)');
                return (rows as { id: number }[])[0]?.id ?? 0;
            }));
            expect(new Set(ids).size).to.equal(6);
            await until(async () => await connected() === 2);

            await Promise.all(Array.from({ length: 12 }, () => pool.promise().query('select 1')));
            stop();
            await pool.promise().end();
        });
    });
}
