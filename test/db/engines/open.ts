import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Sqlite from 'better-sqlite3';
import { SILENT } from '../../../db/log.js';
import { checkServer, engineSettings, readServer, unitSettings, type Engine } from '../../../db/engines/mysql/server.js';
import { parseMysqlUrl } from '../../../db/engines/mysql/url.js';
import { openDatabase } from '../../../db/engines/open.js';
import { createSqlite } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('opening a database', () => {

    it('creates a private data folder with both files, in incremental vacuum mode', async () => {

        const place = await createSqlite();
        const dataDir = join(place.options.dataDir, 'deep', 'down');
        const database = await openDatabase({ dataDir });
        await database.migrate();
        await database.close();

        expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
        for (const file of ['repository.sqlite', 'blobs.sqlite']) {
            const db = new Sqlite(join(dataDir, file));
            expect(db.pragma('auto_vacuum', { simple: true })).to.equal(2);
            expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
            db.close();
        }

        await place.dispose();
    });

    it('shows commits of another connection at once', async () => {

        const place = await createSqlite();
        const first = await place.open();
        const second = await place.open();
        const read = { sql: 'select value from settings where name = ?' };
        for (const value of ['1', '2', '3']) {
            await first.commit({ steps: [{
                sql: 'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
                bindings: ['shared', value]
            }] });

            expect(await second.read(read, ['shared'])).to.equal([{ value }]);
        }

        await place.dispose();
    });

    it('rejects without a server, with address, user and reason', async () => {

        await expect(openDatabase({ url: 'mysql://robin:secret@127.0.0.1:1/objects', dataDir: '' }))
            .to.reject(/^the database objects at 127\.0\.0\.1:1 cannot be opened as user robin: .*ECONNREFUSED/);
    });
});

describe('a database URL', () => {

    it('is parsed', () => {

        expect(parseMysqlUrl('mysql://ro%40bin:s%2Fe%3Acret@db.example.org:3307/ob%6aects?connections=20&timeout=5&ssl=true')).to.equal({
            host: 'db.example.org', port: 3307, user: 'ro@bin', password: 's/e:cret', database: 'objects',
            connections: 20, timeout: 5000, ssl: true, socket: null
        });
        expect(parseMysqlUrl('mariadb://root@[::1]/objects?socket=%2Frun%2Fmysqld.sock')).to.equal({
            host: '::1', port: 3306, user: 'root', password: '', database: 'objects', connections: 10, timeout: 15_000, ssl: false, socket: '/run/mysqld.sock'
        });
    });

    const broken: [string, RegExp][] = [
        ['not a url', /cannot be read: it must look like mysql:\/\/user:password@host:port\/database/],
        ['mysql://user:pa#ss@host/db', /cannot be read|must name/],
        ['postgres://user:secret@host/db', /must start with mysql:\/\/, got postgres:/],
        ['mysql://user:secret@host', /must name one database/],
        ['mysql://user:secret@host/a/b', /must name one database/],
        ['mysql://host/db', /must name a user/],
        ['mysql://user:secret@host/db?pool=1', /unknown option pool; known are connections, timeout, ssl, socket/],
        ['mysql://user:secret@host/db?connections=0', /connections of the database URL must be a whole number/],
        ['mysql://user:secret@host/db?timeout=soon', /timeout of the database URL must be a whole number/],
        ['mysql://user:secret@host/db?ssl=maybe', /ssl of the database URL must be true or false/],
        ['mysql://user:100%25%@host/db', /broken percent-encoding/]
    ];
    for (const [url, message] of broken) {
        it(`is rejected without repeating the password: ${url}`, async () => {

            await expect(openDatabase({ url, dataDir: '' })).to.reject(message);
            await expect(openDatabase({ url, dataDir: '' })).to.reject(/^(?!.*secret)/);
        });
    }
});

describe('the check of a database server', () => {

    const good = { version: '10.11.6-MariaDB', max_allowed_packet: '16777216', innodb_flush_log_at_trx_commit: '1' };

    /** A server that answers with the given variables. */
    function server(facts: Record<string, string>): Parameters<typeof readServer>[0] {

        const rows = Object.entries({ ...good, ...facts }).map(([name, value]) => ({ Variable_name: name, Value: value }));
        return { query: () => Promise.resolve([rows, []]) } as unknown as Parameters<typeof readServer>[0];
    }

    async function check(facts: Record<string, string>): Promise<string[]> {

        const warnings: string[] = [];
        checkServer(await readServer(server(facts)), {
            ...SILENT,
            warn(_, message) {

                warnings.push(message);
            }
        });
        return warnings;
    }

    it('accepts suitable servers', async () => {

        expect(await check({})).to.equal([]);
        for (const version of ['8.4.3', '8.0.11-TiDB-v8.5.1', '8.0.11-TiDB-v9.0.0-beta.1', '8.0.11-TiDB-None', '10.11.6-MariaDB-log']) {
            expect(await check({ version })).to.equal([]);
        }

        expect(await check({ version: '8.0.42-33', wsrep_on: 'ON' })).to.equal([]);      // Percona XtraDB Cluster
        await expect(check({ version: '10.5.23-MariaDB', wsrep_on: 'ON' })).to.reject(/MariaDB 10\.6/);
    });

    it('warns of small packets and of a relaxed log', async () => {

        expect(await check({ max_allowed_packet: '4194304' })).to.equal(['max_allowed_packet too small for large objects']);
        expect(await check({ innodb_flush_log_at_trx_commit: '2' })).to.equal(['database server may lose the last commits in a crash']);
        expect(await check({ version: '8.0.11-TiDB-v8.5.1', innodb_flush_log_at_trx_commit: '0' })).to.equal([]);
    });

    it('warns of servers that were not tested', async () => {

        const warning = ['the service is not tested with this database server'];
        expect(await check({ version: '8.0.39', aurora_version: '3.08.0' })).to.equal(warning);
        expect(await check({ version: '8.4.3', group_replication_group_name: '7a1b' })).to.equal(warning);
        expect(await check({ version: '8.4.3', group_replication_group_name: '' })).to.equal([]);
    });

    it('recognises clusters, whose sessions need settings', async () => {

        const engines: [Record<string, string>, Engine, number][] = [
            [{}, 'mariadb', 0], [{ wsrep_on: 'OFF' }, 'mariadb', 0], [{ wsrep_on: 'ON' }, 'galera', 1], [{ version: '8.4.3' }, 'mysql', 0],
            [{ version: '8.0.11-TiDB-v8.5.1' }, 'tidb', 1]
        ];
        for (const [facts, engine, settings] of engines) {
            const found = await readServer(server(facts));
            expect({ engine: found.engine, settings: engineSettings(found).length }).to.equal({ engine, settings });
        }
    });

    it('knows how idle transactions are ended, where they can be', async () => {

        const servers: [Record<string, string>, RegExp | null][] = [
            [{}, /session idle_transaction_timeout = /], [{ wsrep_on: 'ON' }, /session idle_transaction_timeout = /],
            [{ version: '8.0.11-TiDB-v8.5.1' }, /session tidb_idle_transaction_timeout = /],
            [{ version: '8.4.3' }, null], [{ version: '8.0.42-33', wsrep_on: 'ON' }, null]
        ];
        for (const [facts, setting] of servers) {
            const [found, ...others] = unitSettings(await readServer(server(facts)));
            expect(others).to.equal([]);
            expect(setting ? setting.test(found ?? '') : found === undefined).to.be.true();
        }
    });

    for (const [version, message] of [
        ['5.7.44', /the database server is 5\.7\.44; MySQL 8\.0, MariaDB 10\.6 or TiDB 8\.1 is needed/],
        ['10.5.23-MariaDB', /MySQL 8\.0, MariaDB 10\.6 or TiDB 8\.1 is needed/],
        ['5.7.25-TiDB-v7.1.0', /the database server is 5\.7\.25-TiDB-v7\.1\.0; MySQL 8\.0, MariaDB 10\.6 or TiDB 8\.1 is needed/],
        ['8.0.30-Vitess', /the database server is 8\.0\.30-Vitess, which is not supported/]
    ] as const) {
        it(`rejects ${version}`, async () => {

            await expect(check({ version })).to.reject(message);
        });
    }

    it('rejects packets smaller than a chunk', async () => {

        await expect(check({ max_allowed_packet: '65536' })).to.reject(/packets of at most 65536 bytes; set max_allowed_packet/);
    });
});
